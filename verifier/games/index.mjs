// The games that are judged here.
import { Malformed } from '../bytes.mjs';
import { NotJudged } from '../session.mjs';
import { FreeRules } from './free.mjs';

export function rulesOf({ name, version, parameters }, versions) {
  try {
    if (name === 'free' && version === 1) {
      if (versions.length) throw new Malformed('versions that the game does not name');
      return new FreeRules(parameters);
    }
  } catch (error) {
    if (error instanceof Malformed) throw new NotJudged(`parameters that the game refuses: ${error.message}`);
    throw error;
  }
  throw new NotJudged(`the game ${name} of version ${version} is not judged here`);
}
