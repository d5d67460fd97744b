// The protocols that are judged here.
import { NotJudged } from '../session.mjs';
import { LockDeck } from './lock.mjs';
import { MaskDeck } from './mask.mjs';
import { OffsetDeck } from './offset.mjs';

const DECKS = { mask: MaskDeck, lock: LockDeck, offset: OffsetDeck };

const KEYED = ['newdeck:shared', 'deal:top', 'open:top', 'show:all', 'return:discard', 'close', 'random', 'seal'];
const OPERATIONS = { // what a game may ask for; of `mask` everything that is named here
  mask: [...KEYED, 'show:one', 'pass', 'prove', 'return:top', 'return:bottom', 'return:shuffled', 'return:depth', 'peek:look', 'peek:reorder', 'peek:keep', 'peek:take', 'mix'],
  lock: [...KEYED, 'prove'],
  offset: KEYED,
};
const CARDS = { mask: 10000, lock: 10000, offset: 1000 };
const serves = (players) => players.length >= 2 && players.length <= 20;

const empty = (parameters) => JSON.stringify(parameters) === '{}';

export function protocolOf({ name, version, parameters }, roster, rules) {
  if (version !== 1) throw new NotJudged(`protocol ${name} of version ${version} is not judged here`);
  if (Object.hasOwn(DECKS, name) && empty(parameters)) {
    const Made = DECKS[name];
    const able = [...rules.operations].every((one) => OPERATIONS[name].includes(one)) && rules.cards <= CARDS[name];
    if (!able || !serves(roster.withCards)) throw new NotJudged(`the protocol ${name} cannot serve this table`);
    return { name, version, serves, deck: (...args) => new Made(...args) };
  }
  throw new NotJudged(`the protocol ${name} is not judged here`);
}
