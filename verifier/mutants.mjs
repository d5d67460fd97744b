#!/usr/bin/env node
// node verifier/mutants.mjs [--count N] [--seed N] [--out FOLDER] LOG…
// Makes so many mutants of each log by a fixed seed, judges all in one process, and prints one JSON line for each. Where a file
// LOG.keys.json lies beside a log, with the keys of its seats, two of three are signed again. With --out each mutant is
// written to a file too, so that another verifier can be asked.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fromBase64 } from './bytes.mjs';
import { rulesOf } from './games/index.mjs';
import { Chance } from './mutate/chance.mjs';
import { PLAIN } from './mutate/plain.mjs';
import { retold, SIGNED } from './mutate/signed.mjs';
import { protocolOf } from './protocols/index.mjs';
import { readSession } from './session.mjs';
import { Table } from './table.mjs';
import { EXIT, verifyBytes } from './verify.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? otherwise : args.splice(at, 2)[1];
};
const count = Number(option('count', 50));
const seed = option('seed', '1');
const out = option('out', null);
if (out) mkdirSync(out, { recursive: true });

function readLog(file) {
  const lines = readFileSync(file, 'latin1').split('\n').slice(0, -1);
  const keys = file.replace(/\.jsonl$/, '.keys.json');
  if (!existsSync(keys)) return { lines, secrets: null };
  const open = (line) => {
    const session = readSession(line);
    const { protocol, game, versions } = session.proposal;
    const makeTable = () => {
      const rules = rulesOf(game, versions);
      return new Table(session, protocolOf(protocol, session.roster, rules), rules);
    };
    return { session, makeTable };
  };
  const { session, makeTable } = open(Buffer.from(lines[0], 'latin1').toString('utf8'));
  const given = JSON.parse(readFileSync(keys));
  const secrets = new Map();
  const later = lines.slice(1).flatMap((line) => JSON.parse(Buffer.from(line, 'latin1').toString('utf8')).entry.body.roster?.members ?? []);
  for (const { seat, name } of [...session.roster.members, ...later]) if (given[name]) secrets.set(seat, { key: fromBase64(given[name].key), root: fromBase64(given[name].root) });
  let once = null;
  const said = () => (once ??= retold(lines.map((line) => Buffer.from(line, 'latin1').toString('utf8')), session, makeTable));
  return { lines, session, secrets, makeTable, said, open };
}

for (const file of args) {
  const log = readLog(file);
  const name = basename(file, '.jsonl');
  const chance = new Chance(`${seed} ${name}`);
  const plain = Object.keys(PLAIN);
  const signed = log.secrets ? Object.keys(SIGNED) : [];
  for (let i = 0; i < count; i += 1) {
    const again = signed.length && i % 3;
    const kind = again ? signed[chance.below(signed.length)] : plain[chance.below(plain.length)];
    const made = again ? SIGNED[kind](log, chance) : PLAIN[kind](log.lines, chance);
    const bytes = Array.isArray(made) ? Buffer.from(made.map((line) => `${line}\n`).join(''), 'latin1') : made;
    const { verdict, reason, entries, faults, chips } = verifyBytes(bytes);
    const mutant = `${name}-${String(i).padStart(5, '0')}.jsonl`;
    if (out) writeFileSync(join(out, mutant), bytes);
    console.log(JSON.stringify({ mutant, kind, verdict, exit: EXIT[verdict], entries, faults: faults.map(({ seat, entry }) => [seat, entry]), chips, reason }));
  }
}
