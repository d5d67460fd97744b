// The game `free`: a table without rules. Every move asks for one operation of the cards.
import { Malformed, toUtf8 } from '../bytes.mjs';
import { fields, integer, list, literal, read, tagged, text, tuple } from '../json.mjs';
import { SEAT_MAX } from '../session.mjs';

const DECK = integer(0, 15);
const positions = list(integer(), 0, 10000);
const MOVE_MAX = 2 ** 20; // bytes
const ALL = ['newdeck:shared', 'deal:top', 'open:top', 'show:all', 'show:one', 'pass', 'prove', 'return:top', 'return:bottom',
  'return:shuffled', 'return:discard', 'return:depth', 'peek:look', 'peek:reorder', 'peek:keep', 'peek:take', 'mix', 'close', 'random', 'seal'];
const parametersShape = fields({ cards: integer(2, 10000), operations: list(literal(...ALL), 1) });

// What no name of a face has: what is not printed, but for the space. The table is the rule, whatever Unicode says later.
const UNPRINTED = ('0-1F 7F-A0 AD 600-605 61C 6DD 70F 890-891 8E2 1680 180E 2000-200F 2028-202F 205F-2064 2066-206F 3000 D800-F8FF FEFF FFF9-FFFB '
  + '110BD 110CD 13430-13438 1BCA0-1BCA3 1D173-1D17A E0001 E0020-E007F F0000-FFFFD 100000-10FFFD')
  .split(' ').map((one) => one.split('-').map((number) => parseInt(number, 16))).map(([from, to = from]) => [from, to]);

function faceName(value) {
  text()(value);
  const codes = [...value].map((character) => character.codePointAt(0));
  if (codes.length < 1 || codes.length > 64) throw new Malformed('a name of 1 to 64 characters');
  if (codes.some((code) => UNPRINTED.some(([from, to]) => from <= code && code <= to))) throw new Malformed('a name that cannot be printed');
}

const moveShape = tagged({
  shuffle: { deck: DECK, cards: integer(2, 10000), faces: list(faceName, 0, 10000) },
  deal: { deck: DECK, portions: list(tuple(integer(0, SEAT_MAX), integer(1, 10000)), 1) },
  open: { deck: DECK, count: integer(1, 10000) },
  show: { deck: DECK, positions },
  'show to one': { deck: DECK, positions, to: integer(0, SEAT_MAX) },
  'pass on': { deck: DECK, positions, to: integer(0, SEAT_MAX) },
  mix: { deck: DECK, positions },
  'look at': { deck: DECK, count: integer(1, 10000), then: literal('look', 'reorder', 'keep', 'take') },
  prove: { deck: DECK, positions, faces: positions },
  'give back': { deck: DECK, positions, place: literal('top', 'bottom', 'shuffled', 'discard') },
  insert: { deck: DECK, positions, depth: integer(1, 10000) },
  'put away': { deck: DECK },
  roll: { deck: DECK, sides: list(integer(2, 2 ** 32), 1, 1024) },
  seal: { deck: DECK, seats: list(integer(0, SEAT_MAX), 0, 20) },
  unseal: { deck: DECK },
  finish: {},
});

const ascending = (values) => values.every((value, i) => i === 0 || values[i - 1] < value);
const refuse = (condition, message) => {
  if (condition) throw new Malformed(message);
};

export class FreeRules {
  constructor(parameters) {
    const { cards, operations } = read(parametersShape, JSON.stringify(parameters));
    refuse(operations[0] !== ALL[0] || !ascending(operations.map((one) => ALL.indexOf(one))), 'operations: each once, in their order, and new decks always');
    Object.assign(this, { cards, operations: new Set(operations), stake: 0 });
  }
  versions() {
    return [];
  }
  begin(hand, seats, table) {
    return new FreeHand(this, hand, seats, table);
  }
}

class FreeHand {
  constructor(rules, number, seats, table) {
    Object.assign(this, { rules, number, players: [...seats], seats: [...seats], table });
    this.asking = [];
    this.ended = null;
    this.names = new Map();
    this.gone = [];
    this.rolled = [];
    this.unsealed = [];
    this.sealedAt = new Set(); // where was asked to seal, and not to open
  }

  get wants() {
    if (this.ended) return { type: 'done', paid: [], net: [], result: this.result };
    if (this.asking.length) return { type: 'ask', operations: this.asking };
    return { type: 'turn', seats: [], optional: this.seats };
  }

  get result() {
    const open = [];
    for (const [number, deck] of this.table.decks) {
      if (!deck.opened) continue;
      for (const [position, face] of [...deck.opened].sort((a, b) => a[0] - b[0])) {
        if (!deck.cards[position].laid) open.push({ deck: number, position, face: this.names.get(number)?.[face] ?? face, seat: deck.shownBy.get(position) ?? null });
      }
    }
    const result = { hand: this.number + 1, ended: this.ended, open, gone: this.gone };
    if (this.rolled.length) result.rolled = this.rolled;
    if (this.unsealed.length) result.unsealed = this.unsealed;
    return result;
  }

  told(events) {
    this.asking = [];
    for (const event of events) {
      if (event.type === 'rolled') this.rolled.push({ numbers: event.numbers, silent: event.silent });
      if (event.type === 'unsealed') this.unsealed.push({ seat: event.seat, value: event.value === null ? null : Buffer.from(event.value).toString('utf8') });
    }
  }

  moved(seat, source) {
    refuse(toUtf8(source).length > MOVE_MAX, 'a move that is too long');
    const move = read(moveShape, source);
    const operation = this.operation(seat, move);
    if (operation === null) this.ended = 'finished';
    else {
      if (move.type === 'shuffle') this.names.set(move.deck, move.faces.length ? move.faces : null);
      this.asking = [operation];
    }
  }

  needs(name) {
    refuse(!this.rules.operations.has(name), `this table has no ${name}`);
  }

  operation(seat, move) {
    const { deck: number } = move;
    const deck = this.table.decks.get(number);
    const cards = deck && deck.faceOf && !deck.closed ? deck : null;
    const hidden = (list) => list.every((position) => cards.held.get(position) === seat && !cards.opened.has(position));
    const needDeck = () => refuse(!cards, 'no such deck');
    const chosen = () => refuse(!move.positions.length || new Set(move.positions).size !== move.positions.length, 'each position once');
    switch (move.type) {
      case 'finish':
        return null;
      case 'shuffle':
        this.needs('newdeck:shared');
        refuse(deck !== undefined, 'a number that was used in this hand');
        refuse(move.cards > this.rules.cards || (move.faces.length && (move.faces.length !== move.cards || new Set(move.faces).size !== move.cards)), 'not such a deck');
        return ['newdeck', number, move.cards, null];
      case 'deal':
        this.needs('deal:top');
        needDeck();
        refuse(move.portions.some(([to], i) => !this.seats.includes(to) || move.portions.findIndex(([one]) => one === to) !== i), 'no such seats');
        refuse(move.portions.reduce((total, [, count]) => total + count, 0) > cards.stock, 'more cards than there are');
        return ['deal', number, move.portions.map(([to, count]) => [to, count, []])];
      case 'open':
        this.needs('open:top');
        needDeck();
        refuse(move.count > cards.stock, 'more cards than there are');
        return ['open', number, move.count, [], []];
      case 'show':
        this.needs('show:all');
        needDeck();
        chosen();
        refuse(!hidden(move.positions), 'not cards of this seat');
        return ['show', number, seat, move.positions, null];
      case 'show to one':
        this.needs('show:one');
        needDeck();
        chosen();
        refuse(!hidden(move.positions) || move.to === seat || !this.seats.includes(move.to), 'not cards of this seat');
        return ['show', number, seat, move.positions, move.to];
      case 'pass on':
        this.needs('pass');
        needDeck();
        chosen();
        refuse(!hidden(move.positions) || move.to === seat || !this.seats.includes(move.to), 'not cards of this seat');
        return ['pass', number, [[seat, move.to, move.positions]]];
      case 'mix':
        this.needs('mix');
        needDeck();
        chosen();
        refuse(!hidden(move.positions), 'not cards of this seat');
        return ['mix', number, seat, move.positions];
      case 'look at':
        this.needs(`peek:${move.then}`);
        needDeck();
        refuse(move.count > cards.stock, 'more cards than there are');
        return ['peek', number, seat, move.count, move.then];
      case 'prove':
        this.needs('prove');
        needDeck();
        chosen();
        refuse(!ascending(move.positions), 'positions ascend');
        refuse(!move.faces.length || !ascending(move.faces) || move.faces.some((face) => face >= cards.faces.length), 'no such faces');
        refuse(!move.positions.every((position) => (cards.held.get(position) ?? cards.aside.get(position)) === seat && !cards.opened.has(position)), 'not cards of this seat');
        return ['prove', number, [[seat, move.positions, move.faces]]];
      case 'give back':
      case 'insert': {
        const place = move.type === 'insert' ? 'top' : move.place;
        this.needs(`return:${place}`);
        needDeck();
        refuse(new Set(move.positions).size !== move.positions.length || (!move.positions.length && place !== 'shuffled'), 'each position once');
        const own = (position) => (cards.held.has(position) ? cards.held.get(position) === seat : cards.opened.has(position) || cards.aside.get(position) === seat);
        refuse(!move.positions.every(own), 'not cards of this seat');
        if (move.type !== 'insert') return ['return', number, move.positions, place, seat];
        this.needs('return:depth');
        refuse(move.depth > cards.stock, 'too deep');
        return ['return', number, move.positions, place, seat, move.depth];
      }
      case 'put away':
        this.needs('close');
        needDeck();
        return ['close', number];
      case 'roll':
        this.needs('random');
        refuse(deck !== undefined && !deck.rolls, 'a number of cards or envelopes');
        return ['random', number, move.sides, []];
      case 'seal':
        this.needs('seal');
        refuse(deck !== undefined && !deck.seals, 'a number of cards or rolls');
        refuse(new Set(move.seats).size !== move.seats.length || move.seats.some((one) => !this.seats.includes(one)), 'no such seats');
        refuse(this.sealedAt.has(number) && deck.sealed.size > 0, 'envelopes that were not opened');
        this.sealedAt.add(number);
        return ['seal', number, move.seats];
      case 'unseal':
        this.needs('seal');
        refuse(!this.sealedAt.has(number), 'nothing is sealed');
        this.sealedAt.delete(number);
        return ['unseal', number];
      default:
        throw new Malformed('no such move');
    }
  }

  default() {
    return null;
  }

  charged() {}

  left(seats, cards) {
    this.seats = this.seats.filter((seat) => !seats.includes(seat));
    this.gone = [...this.gone, ...seats].sort((a, b) => a - b);
    if (cards && this.seats.length) return;
    this.asking = [];
    this.ended = 'given up';
  }
}
