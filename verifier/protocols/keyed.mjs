// Decks whose cards have a key of every seat, and are dealt, opened and shown by publishing these: mask and lock.
import { concat, fromBase64 } from '../bytes.mjs';
import { Deck, Fault, refuse, said, stage } from '../deck.mjs';
import { scalars, timesG } from '../group.mjs';
import { scalarBytes } from '../proofs.mjs';
import { scalarsOf } from '../tape.mjs';
import { fields, literal, read, text } from '../json.mjs';

const releaseShape = fields({ type: literal('release'), keys: text() });

export class KeyedDeck extends Deck {
  constructor(...args) {
    super(...args);
    this.cards = []; // by position: {keys: Map seat → point, published: Map seat → scalar, dead, layer}
    this.pile = [];
    this.held = new Map();
    this.opened = new Map();
    this.aside = new Map();
    this.shownBy = new Map();
    this.made = false;
    this.leavers = [];
  }

  /** The seats that still owe their key of a position, when `except` may keep its own. */
  missing(position, except = null) {
    const card = this.cards[position];
    return [...card.keys.keys()].filter((seat) => seat !== except && !card.published.has(seat) && !card.gone?.has(seat));
  }

  get stock() {
    return this.pile.length;
  }

  layerOf(position) {
    return this.cards[position].layer;
  }

  /** Publish keys: wanted is [[position, seat that keeps its key or null], …]; groups are of seats, one after the other; looked: by who gets it. */
  *release(wanted, groups, half, looked = false) {
    const owed = (seat) => wanted.filter(([position, keeper]) => this.missing(position, keeper).includes(seat)).map(([position]) => position);
    const all = [...new Set(wanted.flatMap(([position, keeper]) => this.missing(position, keeper)))].sort((a, b) => a - b);
    const rest = all.filter((seat) => !groups.flat().includes(seat));
    const order = [rest, ...groups.map((group) => group.filter((seat) => all.includes(seat)))].filter((group) => group.length);
    for (const [i, group] of order.entries()) {
      const later = order.slice(i + 1).flat();
      const lists = new Map(group.map((seat) => [seat, owed(seat)]));
      const now = stage('release', group.sort((a, b) => a - b), (seat, source) => {
        const { keys } = read(releaseShape, source);
        const list = lists.get(seat);
        const given = scalars(fromBase64(keys), list.length);
        list.forEach((position, j) => {
          if (timesG(given[j]).key !== this.cards[position].keys.get(seat).key) throw new Fault(seat, 'a released key that is not the card\'s');
        });
        return given;
      }, { half, later, releasing: true, made: (seat, seed) => said('release', { keys: this.ownKeys(lists.get(seat), seat, seed) }), published: (seat) => looked || owed(seat).some((position) => this.cards[position].published.size) });
      now.apply = (seat, given) => {
        lists.get(seat).forEach((position, j) => {
          this.cards[position].published.set(seat, given[j]);
        });
      };
      yield now;
    }
  }

  /** A seat's secrets of cards, as its tape draws them: for all cards of a layer at once. `drawn` says for what. 0 where it has none. */
  secrets(positions, seat, seed) {
    return positions.map((position) => {
      const { keys, drawn, at } = this.cards[position];
      return keys.has(seat) ? scalarsOf(seed, drawn.label, drawn.inputs(seat), drawn.count)[at] : 0n;
    });
  }

  ownKeys(positions, seat, seed) {
    return concat(...this.secrets(positions, seat, seed).map(scalarBytes));
  }

  apply(seat, source, duty) {
    const { stage: now } = this;
    const answer = now.check(seat, source, this.anchor);
    if (now.apply) now.apply(seat, answer);
    const same = now.check;
    now.check = () => answer;
    super.apply(seat, source, duty);
    now.check = same;
  }

  portions(operation) {
    const [, , portions] = operation;
    const list = [];
    let next = 0;
    for (const [seat, count, positions] of portions) {
      if (positions.length) for (const position of positions) list.push([position, seat]);
      else for (let i = 0; i < count; i += 1) list.push([this.pile[next++], seat]);
    }
    return list;
  }

  *deal(operation) {
    const list = this.portions(operation);
    refuse(list.some(([position]) => position === undefined), 'more cards than there are');
    yield* this.release(list, [], 'dealt');
    for (const [position, seat] of list) {
      this.pile = this.pile.filter((one) => one !== position);
      this.held.set(position, seat);
      this.moved(position, seat);
    }
  }

  *openPositions(positions, groups) {
    yield* this.release(positions.map((position) => [position, null]), groups, 'opened');
    for (const position of positions) this.turnUp(position);
  }

  turnUp(position) {
    this.pile = this.pile.filter((one) => one !== position);
    const face = this.faceOf(position);
    this.opened.set(position, face);
    this.openedEvent(position, face);
  }

  *show(operation) {
    const [, , seat, positions] = operation;
    yield* this.release(positions.map((position) => [position, null]), [], null);
    for (const position of positions) {
      const face = this.faceOf(position);
      this.opened.set(position, face);
      this.shownBy.set(position, seat);
      this.openedEvent(position, face);
    }
  }

  /** was: the layer and the position where the card lay before, if all know it. */
  moved(position, holder, was = null) {
    this.events.push({ type: 'moved', deck: this.number, epoch: this.layerOf(position), position, holder, was });
  }

  openedEvent(position, face) {
    this.events.push({ type: 'opened', deck: this.number, epoch: this.layerOf(position), position, face });
  }

  hidden(position) {
    return !this.opened.has(position);
  }
}
