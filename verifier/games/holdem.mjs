// No-limit hold'em (docs/holdem.md).
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
    if (last && players.length === 2 && last.players > 2 && players.find((seat) => seat !== button) === last.big) button = last.big;
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
      this.finish('not played');
      return;
    }
    this.deadMoney = rules.dead;
    const order = this.order(this.button);
    const [small, big] = players.length === 2 ? [this.button, order[0]] : [order[0], order[1]];
    this.small = small;
    this.big = big;
    for (const seat of players) this.pay(seat, rules.ante, false);
    this.pay(small, rules.blinds[0], true);
    this.pay(big, rules.blinds[1], true);
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
  inHand() {
    return this.players.filter((seat) => !this.folded.has(seat));
  }
  canAct(seat) {
    return !this.folded.has(seat) && this.stacks.get(seat) > 0;
  }

  startRound() {
    this.acted = new Set();
    this.raise = this.rules.blinds[1];
    this.mayRaise = new Set(this.players);
    if (this.street > 0) {
      for (const seat of this.players) this.bets.set(seat, 0);
      this.aggressor = null;
    }
    const first = this.street > 0 ? this.button : this.posted;
    this.last = first;
    this.nextTurn(first);
  }

  needsTurn(seat) {
    if (!this.canAct(seat)) return false;
    if (this.bets.get(seat) < this.highest) return true;
    if (this.acted.has(seat)) return false;
    return this.inHand().some((one) => one !== seat && this.stacks.get(one) > 0);
  }

  nextTurn(from) {
    const live = this.inHand().filter((seat) => !this.gone.includes(seat));
    if (live.length === 1 && this.inHand().length > 1) {
      for (const seat of this.gone) this.folded.add(seat);
      this.returnUncalled();
      this.payOut('forfeit');
      return;
    }
    if (this.inHand().length <= 1) {
      this.allFolded();
      return;
    }
    const next = this.order(from).find((seat) => this.needsTurn(seat));
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
      refuse(move.type === 'muck' && this.stage === 'showdown' && this.noMuck, 'nobody mucks in such a hand');
      this.showOrMuck(seat, move.type);
    }
  }

  bet(seat, move) {
    const { highest } = this;
    const behind = this.stacks.get(seat);
    const mine = this.bets.get(seat);
    if (move.type === 'fold') {
      refuse(mine === highest, 'a check is free');
      this.folded.add(seat);
    } else if (move.type === 'call') this.pay(seat, highest - mine, true);
    else {
      const { to } = move;
      const all = to === mine + behind;
      refuse(to > mine + behind || to <= highest || (to < highest + this.raise && !all), 'not such a raise');
      refuse(!this.mayRaise.has(seat) || !this.inHand().some((one) => one !== seat && this.stacks.get(one) > 0), 'nobody can be raised');
      const by = to - highest;
      this.pay(seat, to - mine, true);
      this.aggressor = seat;
      if (by >= this.raise) {
        this.raise = by;
        this.mayRaise = new Set(this.players);
        this.acted = new Set();
      }
    }
    this.acted.add(seat);
    this.mayRaise.delete(seat);
    this.turn = null;
    this.nextTurn(seat);
  }

  roundOver() {
    this.turn = null;
    const acting = this.inHand().filter((seat) => this.stacks.get(seat) > 0);
    const allIn = this.inHand().some((seat) => this.stacks.get(seat) === 0);
    this.returnUncalled();
    if (this.street === 3) {
      if (allIn) this.showAll(0);
      else this.showdown();
      return;
    }
    if (acting.length <= 1) {
      this.showAll(5 - this.board.length);
      return;
    }
    this.street += 1;
    this.stage = 'board';
    this.asking = [['open', 0, BOARD[this.street] - this.board.length, [], this.groups()]];
  }

  groups() {
    const here = (seat) => !this.gone.includes(seat);
    const live = this.players.filter((seat) => !this.folded.has(seat) && here(seat));
    const stakes = [...new Set(live.map((seat) => this.paid.get(seat)))].sort((a, b) => a - b);
    return stakes.map((stake) => live.filter((seat) => this.paid.get(seat) === stake));
  }

  returnUncalled() {
    const sorted = [...this.paid].sort((a, b) => b[1] - a[1]);
    const [seat, most] = sorted[0];
    const more = most - sorted[1][1];
    if (more > 0 && !this.gone.includes(seat) && !this.folded.has(seat)) {
      this.paid.set(seat, most - more);
      this.stacks.set(seat, this.stacks.get(seat) + more);
    }
  }

  // --- Showdown ---

  showOrder() {
    const opener = this.order(this.street > 0 ? this.button : this.posted); // who is asked first in the last round of betting
    const first = this.aggressor !== null && this.inHand().includes(this.aggressor) ? this.aggressor : opener.find((seat) => this.inHand().includes(seat));
    const order = this.order(first);
    return [first, ...order.filter((seat) => seat !== first && this.inHand().includes(seat))];
  }

  showAll(missing) {
    for (const seat of this.gone) this.folded.add(seat);
    const shows = this.showOrder().filter((seat) => !this.shown.has(seat)).map((seat) => ['show', 0, seat, this.positions.get(seat), null]);
    this.stage = 'shown';
    this.asking = [...(missing ? [['open', 0, missing, [], this.groups()]] : []), ...shows];
    if (!this.asking.length) this.payOut();
  }

  showdown() {
    const noMuck = this.gone.some((seat) => !this.folded.has(seat));
    for (const seat of this.gone) this.folded.add(seat);
    if (noMuck && this.inHand().length > 1) { // in such a hand all are shown
      this.showAll(0);
      return;
    }
    if (this.inHand().length <= 1) {
      this.allFolded();
      return;
    }
    this.stage = 'showdown';
    this.queue = this.showOrder();
    this.nextShow();
  }

  nextShow() {
    while (this.queue.length && this.folded.has(this.queue[0])) this.queue.shift();
    if (!this.queue.length) {
      this.payOut();
      return;
    }
    [this.turn] = this.queue;
  }

  allFolded() {
    const [seat] = this.inHand();
    this.turn = null;
    this.returnUncalled();
    if (seat === undefined || this.gone.includes(seat)) {
      this.payOut('folded');
      return;
    }
    this.stage = 'uncontested';
    this.turn = seat;
  }

  showOrMuck(seat, what) {
    this.turn = null;
    const alone = this.inHand().length === 1;
    if (what === 'show') {
      this.asking = [['show', 0, seat, this.positions.get(seat), null]];
      return;
    }
    if (this.stage === 'uncontested' || alone) {
      this.payOut(this.stage === 'uncontested' ? 'folded' : 'showdown');
      return;
    }
    this.folded.add(seat);
    this.queue.shift();
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
    if (this.stage === 'deal') this.startRound();
    else if (this.stage === 'board') this.startRound();
    else if (this.stage === 'shown') this.payOut();
    else if (this.stage === 'showdown') {
      this.queue.shift();
      this.nextShow();
    } else if (this.stage === 'uncontested') this.payOut('folded');
  }

  payOut(ended = 'showdown') {
    const live = this.inHand();
    const levels = [...new Set(live.map((seat) => this.paid.get(seat)))].sort((a, b) => a - b);
    const pots = [];
    let from = 0;
    let first = true;
    for (const level of levels) {
      let amount = [...this.paid.values()].reduce((total, paid) => total + Math.max(0, Math.min(paid, level) - from), 0);
      if (first) amount += this.deadMoney;
      first = false;
      pots.push({ amount, among: live.filter((seat) => this.paid.get(seat) >= level) });
      from = level;
    }
    const above = [...this.paid.values()].reduce((total, paid) => total + Math.max(0, paid - from), 0);
    if (above && pots.length) pots.at(-1).amount += above;
    this.divide(pots.map(({ amount, among }) => {
      if (among.length < 2) return { amount, winners: among };
      const values = new Map(among.filter((seat) => this.shown.has(seat)).map((seat) => [seat, strength([...this.board, ...this.shown.get(seat)])]));
      const best = Math.max(...values.values());
      return { amount, winners: among.filter((seat) => values.get(seat) === best) };
    }));
    this.finish(ended);
  }

  /** Pots that have the same winners are one; odd chips go to the winner who sits first to the left of the button. */
  divide(pots) {
    const joined = [];
    for (const { amount, winners } of pots) {
      const same = joined.find((pot) => pot.winners.join() === winners.join());
      if (same) same.amount += amount;
      else joined.push({ amount, winners });
    }
    for (const { amount, winners } of joined) {
      const share = Math.floor(amount / winners.length);
      const odd = this.order(this.button).find((seat) => winners.includes(seat));
      const wins = this.order(this.button).filter((seat) => winners.includes(seat)).map((seat) => ({ seat, amount: share + (seat === odd ? amount - share * winners.length : 0) }));
      for (const { seat, amount: won } of wins) this.stacks.set(seat, this.stacks.get(seat) + won);
      this.pots.push({ amount, winners: wins });
    }
  }

  finish(ended) {
    const { rules } = this;
    this.ended = ended;
    const charged = [];
    for (const [seat, price] of [...this.prices].sort((a, b) => a[0] - b[0])) {
      const amount = Math.min(price, this.stacks.get(seat));
      this.stacks.set(seat, this.stacks.get(seat) - amount);
      charged.push({ seat, amount });
      rules.waiting.set(seat, this.players.length);
    }
    if (ended !== 'not played') {
      rules.last = { button: this.button, big: this.big, players: this.players.length };
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
      price = Math.max(0, ...this.inHand().filter((one) => one !== seat).map((one) => this.paid.get(one)));
    }
    this.prices.set(seat, Math.max(price, this.prices.get(seat) ?? 0));
  }

  /** No card opens any more: the pots are divided by docs/holdem.md, "When a seat is gone". */
  forfeit() {
    this.asking = [];
    this.turn = null;
    const hands = this.inHand();
    const live = hands.length === 1 ? hands : hands.filter((seat) => !this.gone.includes(seat)); // what was won before stays won
    if (live.length) this.returnUncalled();
    const reach = (seat) => this.paid.get(seat) + this.stacks.get(seat);
    const levels = [...new Set([...this.paid.values(), ...live.map(reach)])].filter((level) => level > 0).sort((x, y) => x - y);
    const shares = [];
    let from = 0;
    for (const level of levels) {
      const amount = [...this.paid.values()].reduce((total, paid) => total + Math.max(0, Math.min(paid, level) - from), 0);
      const fits = [live.filter((seat) => this.paid.get(seat) >= level), live.filter((seat) => reach(seat) >= level), hands.filter((seat) => this.paid.get(seat) >= level)];
      const among = fits.find((list) => list.length);
      from = level;
      if (!amount || !among) continue;
      shares.push({ amount: amount + (shares.length ? 0 : this.deadMoney), winners: this.unbeaten(among) });
    }
    this.divide(shares);
    this.finish(hands.length === 1 ? 'folded' : 'forfeit');
  }

  /** Where the board is full and hands were shown, a hand that is beaten by another one gets nothing. */
  unbeaten(among) {
    if (this.board.length < 5) return among;
    const values = new Map(among.filter((seat) => this.shown.has(seat)).map((seat) => [seat, strength([...this.board, ...this.shown.get(seat)])]));
    const best = Math.max(...values.values());
    return among.filter((seat) => !values.has(seat) || values.get(seat) === best);
  }

  left(seats, cards) {
    this.gone = [...this.gone, ...seats].sort((a, b) => a - b);
    if (this.ended) return;
    if (!cards) {
      this.forfeit();
      return;
    }
    const live = this.inHand().filter((seat) => !this.gone.includes(seat));
    if (live.length === 1) {
      for (const seat of this.gone) this.folded.add(seat);
      this.asking = [];
      this.payOut('forfeit');
      return;
    }
    if (this.stage === 'bet' && this.gone.includes(this.turn)) {
      const seat = this.turn;
      this.bet(seat, this.bets.get(seat) < this.highest ? { type: 'fold' } : { type: 'call' });
    } else if (this.stage === 'showdown' || this.stage === 'shown') {
      for (const seat of this.gone) {
        if (this.shown.has(seat) || this.folded.has(seat)) continue;
        this.folded.add(seat);
        this.noMuck = true;
      }
      if (this.stage === 'showdown' && !this.asking.length) this.nextShow();
    }
  }
}
