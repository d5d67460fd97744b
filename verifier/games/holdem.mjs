// No-limit hold'em (docs/play/holdem.md).
import { Malformed } from '../bytes.mjs';
import { fields, integer, INTEGER_MAX, literal, read, tagged, tuple } from '../json.mjs';
import { cardName, strength } from './hands.mjs';

const MOST = Math.floor(INTEGER_MAX / 20); // so that all chips of a table are an integer
const parametersShape = fields({
  stack: integer(1, MOST), blinds: tuple(integer(1, MOST), integer(1, MOST)), ante: integer(0, MOST), leaving: literal('strict', 'gentle'),
});
const moveShape = tagged({ fold: {}, call: {}, raise: { to: integer() }, show: {}, muck: {} });
const refuse = (condition, message) => {
  if (condition) throw new Malformed(message);
};
const BOARD = [0, 3, 4, 5];

export class HoldemRules {
  constructor(parameters) {
    const { stack, blinds, ante, leaving } = read(parametersShape, JSON.stringify(parameters));
    refuse(blinds[0] > blinds[1] || blinds[1] > stack || ante > stack, 'blinds or an ante that cannot be');
    Object.assign(this, { stack, blinds, ante, leaving, stake: stack, cards: 52, operations: ['newdeck:shared', 'deal:top', 'open:top', 'show:all'] });
    this.waiting = new Map(); // seat → hands until it is dealt in again
    this.last = null;
    this.dead = 0;
    this.owed = []; // what is dead: who paid how much, and who was dealt in
  }

  /** When the log ends, what is dead goes equally to the others who were dealt in when it was paid. */
  ended(chips) {
    for (const { seat, amount, among } of this.owed) {
      const others = among.filter((one) => one !== seat);
      const share = Math.floor(amount / others.length);
      others.forEach((one, i) => chips.set(one, chips.get(one) + share + (i ? 0 : amount - share * others.length)));
    }
  }

  begin(hand, seats, table) {
    return new HoldemHand(this, hand, seats, table);
  }
}

class HoldemHand {
  constructor(rules, number, seats, table) {
    Object.assign(this, { rules, number, seats, table, ended: null });
    const able = seats.filter((seat) => table.chips.get(seat) > 0 && !(rules.waiting.get(seat) > 0));
    for (const [seat, hands] of rules.waiting) rules.waiting.set(seat, hands - 1);
    const { last } = rules;
    const after = (seat, list) => list.find((one) => one > seat) ?? list[0];
    let button = able[0];
    if (last && able.length) button = after(last.button, able);
    let players = able;
    if (able.length > 9) {
      const at = able.indexOf(button);
      players = [...able.slice(at), ...able.slice(0, at)].slice(0, 9).sort((a, b) => a - b);
    }
    if (last && players.length === 2 && players.find((seat) => seat !== button) === last.big) button = last.big;
    this.players = players;
    this.button = button ?? null;
    this.gone = [];
    this.shown = new Map();
    this.board = [];
    this.cards = new Map(players.map((seat) => [seat, []]));
    this.positions = new Map(players.map((seat) => [seat, []]));
    this.before = new Map(players.map((seat) => [seat, table.chips.get(seat)]));
    this.stacks = new Map(this.before);
    this.bets = new Map(players.map((seat) => [seat, 0]));
    this.paid = new Map(players.map((seat) => [seat, 0]));
    this.folded = new Set();
    this.prices = new Map();
    this.pots = [];
    this.asking = [];
    this.turn = null;
    this.stage = 'deal';
    this.deadMoney = 0;
    if (players.length < 2) {
      this.button = last?.button ?? null;
      this.finish('not played');
      return;
    }
    this.deadMoney = rules.dead;
    const order = this.order(this.button);
    const [small, big] = players.length === 2 ? [this.button, order[0]] : [order[0], order[1]];
    this.small = small;
    this.big = big;
    for (const seat of players) this.pay(seat, rules.ante, false);
    const behind = new Map(this.stacks); // what comes back of an ante is in no blind
    this.bringDown(this.paid); // of an ante that is larger than every other one
    this.pay(small, Math.min(rules.blinds[0], behind.get(small)), true);
    this.pay(big, Math.min(rules.blinds[1], behind.get(big)), true);
    // The largest blind as it was paid; of equal ones the one that sits later from the left of the button on.
    this.posted = order.reduce((most, seat) => (this.bets.get(seat) >= this.bets.get(most) ? seat : most));
    this.asking = [['newdeck', 0, 52, null], ['deal', 0, order.map((seat) => [seat, 2, []])]];
    this.street = 0;
    this.aggressor = null;
  }

  /** Seats from the left of one on, that one last. */
  order(from) {
    const { players } = this;
    const at = players.indexOf(from);
    return [...players.slice(at + 1), ...players.slice(0, at + 1)];
  }

  pay(seat, amount, bet) {
    const real = Math.min(amount, this.stacks.get(seat));
    this.stacks.set(seat, this.stacks.get(seat) - real);
    this.paid.set(seat, this.paid.get(seat) + real);
    if (bet) this.bets.set(seat, this.bets.get(seat) + real);
  }

  get wants() {
    if (this.ended) return this.done;
    if (this.asking.length) return { type: 'ask', operations: this.asking };
    return { type: 'turn', seats: [this.turn] };
  }

  // --- Betting ---

  get highest() {
    return Math.max(...this.bets.values());
  }
  /** Who has not folded, also if it is gone; and of these, who is there and can win. */
  inHand() {
    return this.players.filter((seat) => !this.folded.has(seat));
  }
  contenders() {
    return this.inHand().filter((seat) => !this.gone.includes(seat));
  }
  /** Who acts, and the exact rule of docs/play/holdem.md: L the largest raise, A who has acted since a full one, C short ones in a row. */
  startRound() {
    Object.assign(this, { L: 0, A: new Set(), C: [] });
    if (this.street > 0) {
      for (const seat of this.players) this.bets.set(seat, 0);
      this.aggressor = null;
    }
    const reach = this.inHand().map((seat) => this.bets.get(seat) + this.stacks.get(seat)).sort((a, b) => b - a);
    const order = this.order(this.street > 0 ? this.button : this.posted);
    this.actors = order.filter((seat) => !this.folded.has(seat) && this.stacks.get(seat) > 0 && reach[1] > this.bets.get(seat));
    if (this.actors.length === 1 && this.bets.get(this.actors[0]) >= this.highest) this.actors = [];
    this.nextTurn();
  }

  nextTurn() {
    if (this.inHand().length <= 1) {
      this.allFolded();
      return;
    }
    if (this.contenders().length <= 1) {
      this.settle('forfeit');
      return;
    }
    const [next] = this.actors;
    if (next === undefined) {
      this.roundOver();
      return;
    }
    this.turn = next;
    this.stage = 'bet';
    if (this.gone.includes(next)) this.bet(next, this.bets.get(next) < this.highest ? { type: 'fold' } : { type: 'call' });
  }

  moved(seat, source) {
    const move = read(moveShape, source);
    if (this.stage === 'bet') {
      refuse(move.type === 'show' || move.type === 'muck', 'not now');
      this.bet(seat, move);
    } else {
      refuse(move.type !== 'show' && move.type !== 'muck', 'not now');
      this.showOrMuck(seat, move.type);
    }
  }

  bet(seat, move) {
    const { highest } = this;
    const behind = this.stacks.get(seat);
    const mine = this.bets.get(seat);
    const call = Math.min(behind, highest - mine);
    if (move.type === 'fold') {
      refuse(mine === highest, 'a check is free');
      this.folded.add(seat);
      this.actors.shift();
    } else if (move.type === 'call') {
      this.pay(seat, call, true);
      this.A.add(seat);
      this.actors.shift();
    } else this.raiseTo(seat, move.to, call);
    this.turn = null;
    this.nextTurn();
  }

  raiseTo(seat, to, call) {
    const { highest } = this;
    const mine = this.bets.get(seat);
    const all = mine + this.stacks.get(seat);
    const total = (list) => list.reduce((a, b) => a + b, 0);
    refuse(call < this.L || (this.C.length && total(this.C) < this.L && this.A.has(seat)), 'it may not raise again');
    refuse(this.stacks.get(seat) <= call || !this.inHand().some((one) => one !== seat && this.bets.get(one) + this.stacks.get(one) > highest), 'nobody can be raised');
    refuse(to > all || to < Math.min(all, highest + Math.max(this.L, this.rules.blinds[1])), 'not such a raise');
    const by = to - highest;
    this.pay(seat, to - mine, true);
    this.aggressor = seat;
    this.A = by >= this.L ? new Set([seat]) : this.A.add(seat);
    this.L = Math.max(this.L, by);
    this.C = this.stacks.get(seat) > 0 ? [] : [...this.C, by];
    if (total(this.C) >= this.L) this.C = [];
    this.actors = this.order(seat).filter((one) => one !== seat && !this.folded.has(one) && this.stacks.get(one) > 0);
  }

  roundOver() {
    this.turn = null;
    const acting = this.inHand().filter((seat) => this.stacks.get(seat) > 0);
    const allIn = acting.length < this.inHand().length;
    this.bringDown(this.bets);
    if (this.street === 3) this.showdown(allIn);
    else if (acting.length <= 1) this.showAll(5 - this.board.length);
    else {
      this.street += 1;
      this.stage = 'board';
      this.asking = [['open', 0, BOARD[this.street] - this.board.length, [], this.groups()]];
    }
  }

  groups() {
    const live = this.contenders();
    const stakes = [...new Set(live.map((seat) => this.paid.get(seat)))].sort((a, b) => a - b);
    return stakes.map((stake) => live.filter((seat) => this.paid.get(seat) === stake));
  }

  /** The most that lies before any seat comes down to the second most, and the rest goes back. */
  bringDown(lying) {
    const [[seat, most], [, second]] = [...lying].sort((a, b) => b[1] - a[1]);
    const more = most - second;
    if (!more) return;
    if (lying === this.bets) this.bets.set(seat, second);
    this.paid.set(seat, this.paid.get(seat) - more);
    this.stacks.set(seat, this.stacks.get(seat) + more);
  }

  // --- Showdown ---

  showOrder() {
    const opener = this.order(this.street > 0 ? this.button : this.posted); // who is asked first in the last round of betting
    const order = this.aggressor === null ? opener : [this.aggressor, ...this.order(this.aggressor).slice(0, -1)];
    return order.filter((seat) => this.inHand().includes(seat));
  }

  /** The rest of the board, and all hands that can win and were not seen yet, in one request. */
  showAll(missing) {
    const hidden = this.showOrder().filter((seat) => !this.gone.includes(seat) && !this.shown.has(seat));
    this.stage = 'shown';
    this.turn = null;
    this.asking = [...(missing ? [['open', 0, missing, [], this.groups()]] : []), ...hidden.map((seat) => ['show', 0, seat, this.positions.get(seat), null])];
    if (!this.asking.length) this.revealed();
  }

  revealed() {
    if (this.contenders().length < this.inHand().length) this.settle('showdown');
    else this.payOut('showdown', this.inHand());
  }

  showdown(allIn) {
    if (allIn) {
      this.showAll(0);
      return;
    }
    this.stage = 'showdown';
    this.queue = this.showOrder();
    this.nextShow();
  }

  nextShow() {
    this.queue = this.queue.filter((seat) => !this.folded.has(seat) && !this.shown.has(seat));
    if (!this.queue.length) {
      this.payOut('showdown', this.inHand().filter((seat) => this.shown.has(seat)));
      return;
    }
    if (this.inHand().length > 1) {
      if (this.contenders().length <= 1) {
        this.settle('forfeit');
        return;
      }
      if (this.contenders().length < this.inHand().length) { // nobody mucks where somebody is gone
        this.showAll(0);
        return;
      }
    }
    [this.turn] = this.queue;
  }

  allFolded() {
    const [seat] = this.inHand();
    this.stage = 'uncontested';
    if (this.gone.includes(seat)) this.payOut('folded', [seat]);
    else this.turn = seat;
  }

  showOrMuck(seat, what) {
    this.turn = null;
    if (what === 'show') {
      this.asking = [['show', 0, seat, this.positions.get(seat), null]];
      return;
    }
    if (this.inHand().length === 1) {
      this.payOut(this.stage === 'uncontested' ? 'folded' : 'showdown', [seat]);
      return;
    }
    this.folded.add(seat);
    this.nextShow();
  }

  told(events) {
    this.asking = [];
    for (const event of events) {
      if (event.type === 'moved' && event.holder !== null) this.positions.get(event.holder).push(event.position);
      if (event.type !== 'opened') continue;
      const owner = this.players.find((seat) => this.positions.get(seat).includes(event.position));
      if (owner === undefined) this.board.push(event.face);
      else {
        if (!this.shown.has(owner)) this.shown.set(owner, []);
        this.shown.get(owner).push(event.face);
      }
    }
    this.goOn();
  }

  goOn() {
    if (this.stage === 'deal' || this.stage === 'board') this.startRound();
    else if (this.stage === 'shown') this.revealed();
    else if (this.stage === 'showdown') this.nextShow();
    else this.payOut('folded', this.inHand());
  }

  // --- Pots ---

  /** These hands win. */
  payOut(ended, staying) {
    this.divide({ staying, gone: [], reach: new Map() });
    this.finish(ended);
  }

  /** A hand that seats have left: those win who stay; what was beyond their reach is the gone's. If nobody stays the gone divide it. */
  settle(ended) {
    this.asking = [];
    this.turn = null;
    const staying = this.contenders();
    const gone = this.inHand().filter((seat) => this.gone.includes(seat));
    const reach = new Map(staying.map((seat) => [seat, this.paid.get(seat) + this.stacks.get(seat)]));
    this.divide(staying.length ? { staying, gone, reach } : { staying: gone, gone: [], reach });
    this.finish(ended);
  }

  /** Layers from the lowest; neighbours with the same winners are one pot. What one seat alone paid and would win was only lent. */
  divide(claims) {
    const order = this.order(this.button);
    const sorted = (seats) => order.filter((seat) => seats.includes(seat));
    const levels = [...new Set([...this.paid.values(), ...claims.reach.values()])].filter((level) => level > 0).sort((a, b) => a - b);
    const pots = [];
    let below = 0;
    for (const level of levels) {
      const paying = order.filter((seat) => this.paid.get(seat) > below);
      const winners = this.best(sorted(this.contest(claims, level)));
      let amount = paying.reduce((total, seat) => total + Math.min(this.paid.get(seat), level) - below, 0);
      below = level;
      if (!paying.length || (paying.length === 1 && winners.join() === paying.join())) continue;
      if (!pots.length) amount += this.deadMoney;
      else if (pots.at(-1).winners.join() === winners.join()) amount += pots.pop().amount;
      pots.push({ amount, winners });
    }
    this.payPots(pots, order);
  }

  /** Who has paid for a layer; else who could have; else the gone who did; else those who paid most. */
  contest({ staying, gone, reach }, level) {
    const most = Math.max(...staying.map((seat) => this.paid.get(seat)));
    const choices = [
      staying.filter((seat) => this.paid.get(seat) >= level), staying.filter((seat) => (reach.get(seat) ?? 0) >= level),
      gone.filter((seat) => this.paid.get(seat) >= level), staying.filter((seat) => this.paid.get(seat) === most),
    ];
    return choices.find((seats) => seats.length);
  }

  /** The best of these hands; one that nobody can compare ties. */
  best(seats) {
    if (this.board.length < 5) return seats;
    const values = new Map(seats.filter((seat) => this.shown.has(seat)).map((seat) => [seat, strength([...this.board, ...this.shown.get(seat)])]));
    const best = Math.max(...values.values());
    return seats.filter((seat) => !values.has(seat) || values.get(seat) === best);
  }

  /** Odd chips go to the winner who sits first to the left of the button; what nobody called goes back. */
  payPots(pots, order) {
    let rest = [...this.paid.values()].reduce((a, b) => a + b, this.deadMoney);
    for (const { amount, winners } of pots) {
      const share = Math.floor(amount / winners.length);
      const wins = winners.map((seat, i) => ({ seat, amount: share + (i ? 0 : amount - share * winners.length) }));
      for (const { seat, amount: won } of wins) this.stacks.set(seat, this.stacks.get(seat) + won);
      this.pots.push({ amount, winners: wins });
      rest -= amount;
    }
    const largest = order.reduce((most, seat) => (this.paid.get(seat) > this.paid.get(most) ? seat : most));
    this.stacks.set(largest, this.stacks.get(largest) + rest);
  }

  finish(ended) {
    const { rules } = this;
    this.ended = ended;
    const charged = [];
    for (const [seat, price] of [...this.prices].sort((a, b) => a[0] - b[0])) {
      this.stacks.set(seat, this.stacks.get(seat) - price);
      charged.push({ seat, amount: price });
      rules.waiting.set(seat, this.players.length);
    }
    if (ended !== 'not played') {
      rules.last = { button: this.button, big: this.big };
      rules.dead = charged.reduce((total, { amount }) => total + amount, 0);
      rules.owed = charged.map((one) => ({ ...one, among: this.players }));
    }
    const chips = (seat) => this.table.chips.get(seat);
    const stacks = this.seats.map((seat) => ({ seat, before: this.before.get(seat) ?? chips(seat), after: this.stacks.get(seat) ?? chips(seat) }));
    const shown = this.players.filter((seat) => this.shown.has(seat)).map((seat) => ({ seat, cards: this.shown.get(seat).map(cardName) }));
    const result = {
      hand: this.number + 1, button: this.button, ended, stacks, board: this.board.map(cardName), pots: this.pots, shown, gone: this.gone, dead: this.deadMoney, charged,
    };
    this.done = { type: 'done', net: stacks.map(({ seat, before, after }) => [seat, after - before]), result };
  }

  // --- When a seat is gone ---

  default(seat) {
    if (this.stage === 'bet') return this.bets.get(seat) < this.highest ? '{"type":"fold"}' : '{"type":"call"}';
    return this.inHand().length === 1 ? '{"type":"muck"}' : '{"type":"show"}';
  }

  charged(seat, what) {
    const big = this.rules.blinds[1];
    let price = big;
    if (what === 'opened' && this.rules.leaving === 'strict') {
      price = Math.max(0, ...this.inHand().filter((one) => one !== seat && !this.gone.includes(one)).map((one) => this.paid.get(one)));
    }
    const won = this.stage === 'uncontested' && this.inHand()[0] === seat ? [...this.paid.values()].reduce((a, b) => a + b, 0) : 0;
    this.prices.set(seat, Math.max(Math.min(price, this.stacks.get(seat) + won), this.prices.get(seat) ?? 0)); // from what it has behind
  }

  left(seats, cards) {
    this.gone = [...this.gone, ...seats].sort((a, b) => a - b);
    if (this.ended) return;
    const won = this.inHand().length === 1 && ['uncontested', 'showdown'].includes(this.stage);
    if (won) { // before anybody left: only the show is at stake
      const [seat] = this.inHand();
      if (cards && !this.gone.includes(seat)) return;
      this.asking = [];
      this.turn = null;
      this.payOut(this.stage === 'uncontested' ? 'folded' : 'showdown', [seat]);
    } else if (!cards || (this.contenders().length <= 1 && this.inHand().length > 1)) this.settle('forfeit');
    else if (this.asking.length) return;
    else if (this.stage === 'bet') this.nextTurn();
    else if (this.stage === 'showdown') this.nextShow();
  }
}
