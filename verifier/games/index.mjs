// The games that are judged here.
import { Malformed } from '../bytes.mjs';
import { NotJudged } from '../session.mjs';
import { FreeRules } from './free.mjs';
import { HoldemRules } from './holdem.mjs';

export function rulesOf({ name, version, parameters }, versions) {
  try {
    if (name === 'free' && version === 1) {
      if (versions.length) throw new Malformed('versions that the game does not name');
      return new FreeRules(parameters);
    }
    if (name === 'holdem' && version === 1) {
      if (JSON.stringify(versions) !== '[["pokerkit","0.7.7"]]') throw new NotJudged('another version of pokerkit');
      return new HoldemRules(parameters);
    }
  } catch (error) {
    if (error instanceof Malformed) throw new NotJudged(`parameters that the game refuses: ${error.message}`);
    throw error;
  }
  throw new NotJudged(`the game ${name} of version ${version} is not judged here`);
}
