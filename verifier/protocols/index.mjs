// The protocols that are judged here.
import { NotJudged } from '../session.mjs';
import { MaskDeck } from './mask.mjs';

const empty = (parameters) => JSON.stringify(parameters) === '{}';

export function protocolOf({ name, version, parameters }) {
  if (version !== 1) throw new NotJudged(`protocol ${name} of version ${version} is not judged here`);
  if (name === 'mask' && empty(parameters)) {
    return { name, version, serves: (players) => players.length >= 2 && players.length <= 20, deck: (...args) => new MaskDeck(...args) };
  }
  throw new NotJudged(`the protocol ${name} is not judged here`);
}
