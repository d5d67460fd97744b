// A whole file, and its verdict.
import { fromUtf8, Malformed, toHex } from './bytes.mjs';
import { rulesOf } from './games/index.mjs';
import { protocolOf } from './protocols/index.mjs';
import { NotJudged, readSession } from './session.mjs';
import { Refused, Table } from './table.mjs';

export const EXIT = { clean: 0, fault: 1, broken: 1, 'not-a-log': 2, incomplete: 3 };

export function verifyBytes(bytes) {
  const report = { verdict: 'not-a-log', reason: '', entries: 0, hands: 0, faults: [], results: [], gone: [], chips: {}, withouts: [] };
  let table = null;
  const finish = (verdict, reason) => {
    Object.assign(report, { verdict, reason });
    if (table) {
      Object.assign(report, {
        entries: table.length,
        hands: table.results.length,
        faults: table.faults,
        results: table.results,
        withouts: table.withouts,
        gone: [...table.gone].sort((a, b) => a - b),
        chips: Object.fromEntries(table.chips),
      });
    }
    return report;
  };
  try {
    if (bytes.length > 512 * 2 ** 20) throw new NotJudged('a file of more than 512 MiB');
    if (!bytes.length) throw new NotJudged('the file is empty');
    const lines = [];
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      lines.push(bytes.subarray(from, at));
      from = at + 1;
    }
    const cut = from < bytes.length;
    if (!lines.length) throw new NotJudged('line 1 is cut off');
    if (lines.length > 1000001) throw new NotJudged('more than 1,000,000 entries');
    let first;
    try {
      first = fromUtf8(lines[0]);
    } catch {
      throw new NotJudged('it is not a log: the first line is not UTF-8');
    }
    const session = readSession(first);
    report.session = toHex(session.number);
    const { game, protocol, versions } = session.proposal;
    const rules = rulesOf(game, versions);
    table = new Table(session, protocolOf(protocol, session.roster, rules), rules);
    for (const line of lines.slice(1)) {
      try {
        let source;
        try {
          source = fromUtf8(line);
        } catch (error) {
          if (error instanceof Malformed) throw new Refused('not UTF-8');
          throw error;
        }
        table.take(line, source);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (table.faults.length) break; // who cheated has cheated, whatever follows
        return finish('broken', `entry ${table.length} cannot be part of a log: ${error.message}`);
      }
    }
    if (table.faults.length) return finish('fault', table.faults.map(({ seat, entry, reason }) => `seat ${seat}, entry ${entry}: ${reason}`).join('; '));
    if (cut) return finish('incomplete', 'everything so far is correct, but the last line is cut off');
    if (table.phase !== 'ended') return finish('incomplete', 'everything so far is correct, but not every seat has signed the end');
    return finish('clean', '');
  } catch (error) {
    if (error instanceof NotJudged) return finish('not-a-log', error.message);
    report.stack = error.stack;
    return finish('not-a-log', `this verifier came to something that it does not know: ${error.message}`);
  }
}
