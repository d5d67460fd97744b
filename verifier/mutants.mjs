#!/usr/bin/env node
// node verifier/mutants.mjs LOG [--other LOG] [--count N] [--seed N] [--out FOLDER]
// Makes mutants of a log by a fixed seed, judges all in one process, and prints one JSON line for each. With --out each
// mutant is written to a file too, so that another verifier can be asked.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha512 } from './hash.mjs';
import { EXIT, verifyBytes } from './verify.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return otherwise;
  return args.splice(at, 2)[1];
};
const count = Number(option('count', 50));
const seed = Number(option('seed', 1));
const out = option('out', null);
const otherFile = option('other', null);
const [file] = args;
const log = readFileSync(file);
const linesOf = (bytes) => bytes.toString('latin1').split('\n').slice(0, -1);
const lines = linesOf(log);
const others = otherFile ? linesOf(readFileSync(otherFile)) : lines;

function* stream() {
  for (let block = 0; ; block += 1) yield* sha512(new TextEncoder().encode(`${seed} ${block}`));
}
const source = stream();
const below = (n) => {
  let number = 0;
  for (let i = 0; i < 6; i += 1) number = number * 256 + source.next().value;
  return number % n;
};

const replaced = (list, at, ...by) => [...list.slice(0, at), ...by, ...list.slice(at + 1)];
const entry = () => 1 + below(lines.length - 1);
const flip = (text, at) => text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << below(7))) + text.slice(at + 1);

const KINDS = {
  'flip a bit': () => {
    const at = below(lines.length);
    return replaced(lines, at, flip(lines[at], below(lines[at].length)));
  },
  'another letter of base64': () => {
    const at = below(lines.length);
    const texts = [...lines[at].matchAll(/"([A-Za-z0-9+/]{20,})=*"/g)];
    const chosen = texts[below(texts.length)];
    const place = chosen.index + 1 + below(chosen[1].length);
    return replaced(lines, at, `${lines[at].slice(0, place)}${lines[at][place] === 'A' ? 'B' : 'A'}${lines[at].slice(place + 1)}`);
  },
  'another number': () => {
    const at = below(lines.length);
    const numbers = [...lines[at].matchAll(/[:[,]([0-9]+)/g)];
    if (!numbers.length) return replaced(lines, at);
    const chosen = numbers[below(numbers.length)];
    const place = chosen.index + 1;
    return replaced(lines, at, `${lines[at].slice(0, place)}${Number(chosen[1]) + 1}${lines[at].slice(place + chosen[1].length)}`);
  },
  'drop a line': () => replaced(lines, entry()),
  'drop the last lines': () => lines.slice(0, 1 + below(lines.length)),
  'swap two lines': () => {
    const at = 1 + below(lines.length - 2);
    return [...lines.slice(0, at), lines[at + 1], lines[at], ...lines.slice(at + 2)];
  },
  'move a line': () => {
    const at = entry();
    const rest = replaced(lines, at);
    const to = 1 + below(rest.length);
    return [...rest.slice(0, to), lines[at], ...rest.slice(to)];
  },
  'repeat a line': () => {
    const at = entry();
    const to = entry();
    return [...lines.slice(0, to), lines[at], ...lines.slice(to)];
  },
  'a line of another log': () => replaced(lines, below(lines.length), others[below(others.length)]),
  'a blank in the JSON': () => {
    const at = below(lines.length);
    const places = [...lines[at].matchAll(/[:,{[]/g)].map((one) => one.index + 1);
    const place = places[below(places.length)];
    return replaced(lines, at, `${lines[at].slice(0, place)} ${lines[at].slice(place)}`);
  },
  'fields in another order': () => {
    const at = entry();
    const { entry: inner, signature } = JSON.parse(lines[at]);
    return replaced(lines, at, JSON.stringify({ signature, entry: inner }));
  },
  'a needless escape': () => {
    const at = below(lines.length);
    return replaced(lines, at, lines[at].replace(/"([a-z])/, (_, letter) => `"\\u00${letter.charCodeAt(0).toString(16)}`));
  },
  'an empty line': () => {
    const at = entry();
    return [...lines.slice(0, at), '', ...lines.slice(at)];
  },
  'cut in the middle of a line': () => null,
  'swap two signatures': () => {
    const at = entry();
    const to = entry();
    const sign = (line) => /"signature":"([^"]*)"\}$/.exec(line)[1];
    return replaced(replaced(lines, at, lines[at].replace(sign(lines[at]), sign(lines[to]))), to, lines[to].replace(sign(lines[to]), sign(lines[at])));
  },
  nothing: () => lines,
};

const names = Object.keys(KINDS);
for (let i = 0; i < count; i += 1) {
  const kind = names[i % names.length];
  const made = KINDS[kind]();
  const bytes = made === null ? log.subarray(0, below(log.length)) : Buffer.from(made.map((line) => `${line}\n`).join(''), 'latin1');
  const { verdict, reason, entries, faults } = verifyBytes(bytes);
  console.log(JSON.stringify({ mutant: i, kind, verdict, exit: EXIT[verdict], entries, faults: faults.map(({ seat }) => seat), reason }));
  if (out) {
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, `${String(i).padStart(4, '0')}.jsonl`), bytes);
  }
}
