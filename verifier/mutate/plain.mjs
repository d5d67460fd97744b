// Mutants that need no key: bytes, lines and encodings. Each takes the lines of a log (latin1) and returns lines, or bytes.
import { fromBase64, toBase64 } from '../bytes.mjs';
import { Q } from '../group.mjs';
import { number32, otherSession } from './weak.mjs';

const replaced = (list, at, ...by) => [...list.slice(0, at), ...by, ...list.slice(at + 1)];
const entry = (lines, chance) => 1 + chance.below(lines.length - 1);
const flip = (text, at, chance) => text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << chance.below(8))) + text.slice(at + 1);

/** One match of a pattern in one line, replaced by what `by` makes of it; the line as it is where there is none. */
function edit(lines, at, pattern, chance, by) {
  const found = [...lines[at].matchAll(pattern)];
  if (!found.length) return lines;
  const one = chance.of(found);
  return replaced(lines, at, lines[at].slice(0, one.index) + by(one) + lines[at].slice(one.index + one[0].length));
}

export const signed = (line, change) => line.replace(/"signature":"([^"]*)"\}$/, (_, text) => `"signature":"${change(text)}"}`);

function bytesOfSignature(change) {
  return (text) => {
    const bytes = fromBase64(text);
    change(bytes);
    return toBase64(bytes);
  };
}

const plusOrder = bytesOfSignature((bytes) => {
  let number = Q;
  for (let i = 31; i >= 0; i -= 1) number += BigInt(bytes[32 + i]) << BigInt(8 * i);
  bytes.set(number32(number & ((1n << 256n) - 1n)), 32);
});

export const PLAIN = {
  'flip a bit': (lines, chance) => {
    const at = chance.below(lines.length);
    return replaced(lines, at, flip(lines[at], chance.below(lines[at].length), chance));
  },
  'another letter of base64': (lines, chance) => edit(lines, chance.below(lines.length), /(?<=")[A-Za-z0-9+/]{20,}(?==*")/g, chance, ([text]) => {
    const place = chance.below(text.length);
    return `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
  }),
  'base64 that is not canonical': (lines, chance) => edit(lines, chance.below(lines.length), /[A-Za-z0-9+/](?==+")/g, chance, ([letter]) => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return letters[letters.indexOf(letter) ^ 1];
  }),
  'base64 without its end': (lines, chance) => edit(lines, chance.below(lines.length), /=+"/g, chance, () => '"'),
  'another number': (lines, chance) => edit(lines, chance.below(lines.length), /(?<=[:[,])[0-9]+(?=[,\]}])/g, chance, ([text]) => `${Number(text) + 1}`),
  'a number written otherwise': (lines, chance) => edit(lines, chance.below(lines.length), /(?<=[:[,])[0-9]+(?=[,\]}])/g, chance, ([text]) => chance.of([`${text}.0`, `${text}e0`, `0${text}`, `-${text}`, `"${text}"`, `${text}E0`])),
  'drop a line': (lines, chance) => replaced(lines, entry(lines, chance)),
  'drop the last lines': (lines, chance) => lines.slice(0, 1 + chance.below(lines.length)),
  'swap two lines': (lines, chance) => {
    const at = 1 + chance.below(lines.length - 2);
    return [...lines.slice(0, at), lines[at + 1], lines[at], ...lines.slice(at + 2)];
  },
  'move a line': (lines, chance) => {
    const at = entry(lines, chance);
    const rest = replaced(lines, at);
    const to = 1 + chance.below(rest.length);
    return [...rest.slice(0, to), lines[at], ...rest.slice(to)];
  },
  'repeat a line': (lines, chance) => {
    const [at, to] = [entry(lines, chance), entry(lines, chance)];
    return [...lines.slice(0, to), lines[at], ...lines.slice(to)];
  },
  'a blank in the JSON': (lines, chance) => edit(lines, chance.below(lines.length), /[:,{[]/g, chance, ([sign]) => `${sign}${chance.of([' ', '\t', '\r'])}`),
  'a name twice': (lines, chance) => edit(lines, chance.below(lines.length), /"[a-zA-Z]+":(?:[0-9]+|"[^"]*")/g, chance, ([field]) => `${field},${field}`),
  'fields in another order': (lines, chance) => {
    const at = entry(lines, chance);
    const { entry: inner, signature } = JSON.parse(lines[at]);
    return replaced(lines, at, JSON.stringify({ signature, entry: inner }));
  },
  'a needless escape': (lines, chance) => edit(lines, chance.below(lines.length), /(?<=")[a-zA-Z]/g, chance, ([letter]) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  'bytes that are no UTF-8': (lines, chance) => edit(lines, chance.below(lines.length), /(?<=")[a-zA-Z]/g, chance, () => chance.of(['\xff', '\xc3', '\xed\xa0\x80', '\xc0\x80', '\xef\xbb\xbf', '\x00'])),
  'an empty line': (lines, chance) => {
    const at = entry(lines, chance);
    return [...lines.slice(0, at), '', ...lines.slice(at)];
  },
  'cut anywhere': (lines, chance) => {
    const all = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
    return all.subarray(0, chance.below(all.length));
  },
  'swap two signatures': (lines, chance) => {
    const [at, to] = [entry(lines, chance), entry(lines, chance)];
    const of = (line) => /"signature":"([^"]*)"\}$/.exec(line)[1];
    const [one, other] = [of(lines[at]), of(lines[to])];
    return replaced(replaced(lines, at, signed(lines[at], () => other)), to, signed(lines[to], () => one));
  },
  'a signature with S + L': (lines, chance) => {
    const at = entry(lines, chance);
    return replaced(lines, at, signed(lines[at], plusOrder));
  },
  'a signature by a point of small order': (lines, chance) => {
    const at = entry(lines, chance);
    const small = chance.of(['01'.padEnd(64, '0'), 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', '00'.repeat(32), 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f']);
    return replaced(lines, at, signed(lines[at], bytesOfSignature((bytes) => {
      bytes.set(Buffer.from(small, 'hex'), 0);
      bytes.fill(0, 32);
    })));
  },
  'a session with somebody else': (lines, chance) => replaced(lines, 0, Buffer.from(otherSession(Buffer.from(lines[0], 'latin1').toString('utf8'), chance), 'utf8').toString('latin1')),
  nothing: (lines) => lines,
};
