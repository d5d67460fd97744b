// The protocols that are judged here.
import { NotJudged } from '../session.mjs';
import { LockDeck } from './lock.mjs';
import { MaskDeck } from './mask.mjs';
import { OffsetDeck } from './offset.mjs';

const DECKS = { mask: MaskDeck, lock: LockDeck, offset: OffsetDeck };

const empty = (parameters) => JSON.stringify(parameters) === '{}';

export function protocolOf({ name, version, parameters }) {
  if (version !== 1) throw new NotJudged(`protocol ${name} of version ${version} is not judged here`);
  if (Object.hasOwn(DECKS, name) && empty(parameters)) {
    const Made = DECKS[name];
    return { name, version, serves: (players) => players.length >= 2 && players.length <= 20, deck: (...args) => new Made(...args) };
  }
  throw new NotJudged(`the protocol ${name} is not judged here`);
}
