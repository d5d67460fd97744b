// What is changed in an entry before it is signed again.
import { fromBase64, toBase64, toHex } from '../bytes.mjs';
import { Q } from '../group.mjs';
import { H } from '../hash.mjs';
import { handSeed } from '../tape.mjs';
import { number32, strange, withNewcomer } from './weak.mjs';

const P = 2n ** 255n - 19n;
const digest = (chance) => toBase64(chance.take(32));
const anywhere = (said, chance) => [chance.below(said.length)];
/** An entry of one of these types, if there is one. */
const ofTypes = (...types) => (said, chance) => {
  const fit = said.flatMap(({ type }, i) => (types.includes(type) ? [i] : []));
  return fit.length ? [chance.of(fit)] : anywhere(said, chance);
};
const cards = ofTypes('cards');
const moves = ofTypes('move');

/** The fields of a message that are bytes, with their places in the text of the body. */
const blobs = (body) => [...body.matchAll(/"([a-zA-Z]+)":"([A-Za-z0-9+/]*={0,2})"/g)].filter(([, name]) => !['type', 'duty', 'system'].includes(name));
const put = (body, blob, bytes) => body.slice(0, blob.index) + `"${blob[1]}":"${typeof bytes === 'string' ? bytes : toBase64(bytes)}"` + body.slice(blob.index + blob[0].length);

/** An edit of one field of bytes. */
const onBytes = (change) => ({ fits, chance, ...rest }) => {
  const found = blobs(fits.body);
  if (!found.length) return [fits];
  const blob = chance.of(found);
  let bytes;
  try {
    bytes = fromBase64(blob[2]);
  } catch {
    return [fits];
  }
  const made = change(new Uint8Array(bytes), { chance, blob, fits, ...rest });
  return [{ ...fits, body: made === null ? fits.body : put(fits.body, blob, made) }];
};

const pieceOf = (bytes, chance) => {
  const from = bytes.length % 32; // a proof has one byte before its pieces
  const count = (bytes.length - from) / 32;
  return count ? { from, count, at: from + 32 * chance.below(count) } : null;
};

const withPiece = (make) => onBytes((bytes, context) => {
  const piece = pieceOf(bytes, context.chance);
  if (!piece) return null;
  const made = make(bytes.slice(piece.at, piece.at + 32), { ...context, piece, bytes });
  if (made) bytes.set(made, piece.at);
  return bytes;
});

const plus = (piece, number) => {
  let value = number;
  for (let i = 0; i < 32; i += 1) value += BigInt(piece[i]) << BigInt(8 * i);
  return number32(value & ((1n << 256n) - 1n));
};

/** Another message of the same form in the same log. */
const twins = ({ log, entry, index }) => log.said().filter((one, i) => i !== index && one.type === entry.type && one.kept?.kind === entry.kept?.kind);

const MOVES = [
  '{"type":"fold"}', '{"type":"call"}', '{"type":"raise","to":4}', '{"type":"raise","to":200}', '{"type":"raise","to":3}', '{"type":"show"}', '{"type":"muck"}', '{"type":"raise","to":6}',
  '{"type":"finish"}', '{"type":"open","deck":0,"count":1}', '{"type":"open","deck":0,"count":2}', '{"type":"deal","deck":0,"portions":[[0,1]]}', '{"type":"deal","deck":0,"portions":[[1,1],[0,1]]}',
  '{"type":"deal","deck":0,"portions":[[0,1],[0,1]]}', '{"type":"deal","deck":0,"portions":[]}', '{"type":"put away","deck":0}', '{"type":"roll","deck":9,"sides":[6]}', '{"type":"roll","deck":0,"sides":[6]}',
  '{"type":"roll","deck":9,"sides":[1]}', '{"type":"roll","deck":9,"sides":[]}', '{"type":"seal","deck":8,"seats":[0]}', '{"type":"seal","deck":8,"seats":[1,0]}', '{"type":"seal","deck":8,"seats":[0,0]}', '{"type":"unseal","deck":8}',
  '{"type":"roll","deck":8,"sides":[6]}', '{"type":"seal","deck":9,"seats":[]}', '{"type":"unseal","deck":9}',
  '{"type":"shuffle","deck":1,"cards":2,"faces":[]}', '{"type":"shuffle","deck":1,"cards":2,"faces":["a","a"]}', '{"type":"shuffle","deck":1,"cards":2,"faces":["a"]}', '{"type":"shuffle","deck":1,"cards":1,"faces":[]}',
  '{"type":"shuffle","deck":0,"cards":2,"faces":[]}', '{"type":"shuffle","deck":16,"cards":2,"faces":[]}', '{"type":"give back","deck":0,"positions":[],"place":"shuffled"}', '{"type":"give back","deck":0,"positions":[],"place":"discard"}',
];
/** Names of faces: what can be printed, and what cannot. */
const NAMES = ['', ' ', 'a', 'x'.repeat(64), 'x'.repeat(65), '\u{1F0CF}'.repeat(64), '\u{1F0CF}'.repeat(65), '\u0001', '\u007f', '\u00a0', '\u00ad', '\u0301', '\u061c', '\u180e', '\u200b', '\u200f', '\u2010', '\u2027',
  '\u2028', '\u202e', '\u2060', '\u3000', '\ue000', '\uf8ff', '\ufeff', '\ufffb', '\ufffd', '\u{110bd}', '\u{1d17a}', '\u{1d17b}', '\u{e0001}', '\u{e0020}', '\u{f0000}', '\u{10fffd}'];
const shuffleOf = (chance) => JSON.stringify({ type: 'shuffle', deck: chance.of([1, 2, 9]), cards: 2, faces: [chance.of(NAMES), 'b'] });
const WITH_POSITIONS = ['show', 'mix', 'give back', 'show to one', 'pass on', 'prove', 'insert'];

function movesWith(chance) {
  const type = chance.of(WITH_POSITIONS);
  const positions = Array.from({ length: chance.of([0, 1, 1, 1, 2, 2, 3]) }, () => chance.below(8));
  const more = { 'give back': { place: chance.of(['top', 'bottom', 'shuffled', 'discard']) }, 'show to one': { to: chance.below(3) }, 'pass on': { to: chance.below(3) }, prove: { faces: chance.of([[0], [1], [0, 1], [1, 0], [], [9]]) }, insert: { depth: chance.below(3) } };
  return JSON.stringify({ type, deck: chance.of([0, 0, 0, 1]), positions, ...more[type] });
}

/** Another roster: without a seat, or with something else of one. */
function rosterOf(table, chance) {
  const { members } = JSON.parse(table.roster.json);
  const one = chance.of(members);
  const change = chance.of([() => ({ role: 'server' }), () => ({ role: 'timekeeper' }), () => ({ name: 'Zoe' }), () => ({ seat: 7 }), () => ({ box: digest(chance) }), () => ({}), () => ({ role: 'dealer' })]);
  return JSON.stringify({ members: chance.below(2) ? members.filter((other) => other !== one) : members.map((other) => (other === one ? { ...one, ...change() } : other)) });
}

/** Something else that a seat says, as a body. */
function remark({ teller, chance, log }, seat) {
  const { table } = teller;
  const open = [...table.open.entries()];
  const others = open.filter(([, duty]) => duty.seat !== seat);
  const hex = (id) => toHex(fromBase64(id));
  const some = others.filter(() => chance.below(2)).map(([id]) => id).sort((a, b) => (hex(a) < hex(b) ? -1 : 1));
  const mine = (kind) => open.find(([, duty]) => duty.seat === seat && duty.kind === kind)?.[0] ?? digest(chance);
  const move = mine('move');
  const secret = log.secrets.get(seat);
  const held = [...table.decks.values()].flatMap((deck) => [...(deck.held ?? [])].filter(([, one]) => one === seat).map(([position]) => [deck.number, position]));
  const [deck, position] = held.length && chance.below(4) ? chance.of(held) : [chance.below(2), chance.below(6)];
  const seed = secret && chance.below(2) ? toBase64(handSeed(secret.root, teller.session, seat, table.hand)) : digest(chance);
  return chance.of([
    () => `{"type":"word","text":"${chance.of(['I bet 10', '\u00fc\u2603', '', 'x'.repeat(4096), 'x'.repeat(4097), '\\n', '\\u000a', '\\ud800', '\ud83c\udccf', '\\"'])}"}`,
    () => '{"type":"leave"}',
    () => '{"type":"leave"}',
    () => `{"type":"without","duties":${JSON.stringify(some)}}`,
    () => `{"type":"without","duties":${JSON.stringify(others.length ? [chance.of(others)[0]] : [])}}`,
    () => `{"type":"without","duties":${JSON.stringify([...some].reverse())}}`,
    () => `{"type":"break","duty":"${others.length ? chance.of(others)[0] : digest(chance)}"}`,
    () => `{"type":"end","duty":"${mine('end')}"}`,
    () => `{"type":"begin","duty":"${mine('begin')}","commitment":"${digest(chance)}"}`,
    () => `{"type":"claim","deck":${deck},"position":${position},"seed":"${seed}","choices":[]}`,
    () => `{"type":"book","duty":"${digest(chance)}","seed":"${seed}","choices":[]}`,
    () => `{"type":"tick","time":${chance.below(100000)}}`,
    () => `{"type":"agree","proposal":"${table.proposals.length && chance.below(4) ? chance.of(table.proposals).id : digest(chance)}"}`,
    () => `{"type":"propose","roster":${rosterOf(table, chance)},"newcomers":${chance.of(['[]', '[]', '[]', `[{"seat":5,"signature":"${toBase64(chance.take(64))}"}]`])},"key":null}`,
    () => `{"type":"move","duty":"${move}","move":${chance.of(MOVES)}}`,
    () => `{"type":"move","duty":"${move}","move":${movesWith(chance)}}`,
  ])();
}

const JSON_TWISTS = [
  (text) => text.replace(/,/, ', '), (text) => text.replace(/:/, ': '), (text) => text.replace(/"type":"([a-z])/, (_, letter) => `"type":"\\u00${letter.charCodeAt(0).toString(16)}`),
  (text) => text.replace(/([:[,])([0-9]+)([,\]}])/, '$1$2.0$3'), (text) => text.replace(/([:[,])([0-9]+)([,\]}])/, '$1$2e0$3'), (text) => text.replace(/([:[,])0([,\]}])/, '$1-0$2'),
  (text) => text.replace(/\{"type":"([^"]*)"/, '{"type":"$1","type":"$1"'), (text) => text.replace(/\}$/, ',"more":1}'), (text) => text.replace(/,"[a-zA-Z]+":("[^"]*"|[0-9]+)\}$/, '}'),
  (text) => text.replace(/\{"type":"([^"]*)","([a-z]+)":("[^"]*"|[0-9]+)/, '{"$2":$3,"type":"$1"'), (text) => text.replace(/"([A-Za-z0-9+/]{42})[A-Za-z0-9+/]="/, '"$1B="'), (text) => text.replace(/\//, '\\/'),
  (text) => `${text} `, (text) => `[${text}]`, (text) => text.replace(/([:[,])([0-9]+)([,\]}])/, '$19007199254740992$3'), (text) => text.replace(/([:[,])([0-9]+)([,\]}])/, '$1"$2"$3'), () => 'null', () => '{}', () => '"leave"',
  (text) => text.replace(/"type":"([a-z])/, (_, letter) => `"type":"${letter.toUpperCase()}`), (text) => text.replace(/"type":/, '"Type":'), (text) => text.replace(/"duty":"[^"]*"/, '"duty":null'), (text) => '[' .repeat(63) + text + ']'.repeat(63),
];

const later = (said, chance) => [chance.below(said.length)];
const aside = (make) => ({ plan: later, change: (context) => [...make(context), context.fits] });
const seatOf = ({ log, chance }) => chance.of([...log.secrets.keys()]);

/** A seat proposes a roster, or somebody more, and most of the others agree. */
function agreedTo(context, roster) {
  const { chance, teller, log } = context;
  const seat = seatOf(context);
  const before = teller.table.proposals.length;
  teller.say({ seat, body: roster === null ? withNewcomer(teller.table, chance) : `{"type":"propose","roster":${roster},"newcomers":[],"key":null}` });
  const made = teller.table.proposals[before];
  return made ? [...log.secrets.keys()].filter((one) => one !== seat && chance.below(4)).map((one) => ({ seat: one, body: `{"type":"agree","proposal":"${made.id}"}` })) : [];
}

export const edits = {
  'signed again': { plan: anywhere, change: ({ fits }) => [fits] },
  'signed: a bit of a message': { plan: cards, change: onBytes((bytes, { chance }) => {
    if (!bytes.length) return null;
    bytes[chance.below(bytes.length)] ^= 1 << chance.below(8);
    return bytes;
  }) },
  'signed: two pieces exchanged': { plan: cards, change: withPiece((piece, { chance, bytes, piece: { from, count, at } }) => {
    const to = from + 32 * chance.below(count);
    const other = bytes.slice(to, to + 32);
    bytes.set(piece, to);
    bytes.set(other, at);
    return null;
  }) },
  'signed: a piece of another place': { plan: cards, change: withPiece((_, context) => {
    const all = context.log.said().flatMap(({ body }) => blobs(body)).filter(([, , text]) => text.length >= 43);
    const bytes = fromBase64(context.chance.of(all)[2]);
    const other = pieceOf(bytes, context.chance);
    return other ? bytes.slice(other.at, other.at + 32) : null;
  }) },
  'signed: a piece that is not canonical': { plan: cards, change: withPiece((piece, { chance }) => chance.of([() => plus(piece, P), () => plus(piece, Q), () => new Uint8Array(32), () => number32(1n), () => number32(Q), () => number32(P), () => piece.map(() => 255), () => plus(piece, 1n), () => plus(piece, 1n << 255n)])()) },
  'signed: a field of another size': { plan: cards, change: onBytes((bytes, { chance }) => chance.of([() => bytes.slice(32), () => bytes.slice(0, -1), () => new Uint8Array(0), () => Uint8Array.from([...bytes, 0])])()) },
  'signed: a field of another message': { plan: cards, change: onBytes((_, context) => {
    const fit = twins(context).flatMap(({ body }) => blobs(body)).filter(([, name]) => name === context.blob[1]);
    return fit.length ? context.chance.of(fit)[2] : null;
  }) },
  'signed: another message': { plan: cards, change: (context) => {
    const fit = twins(context);
    if (!fit.length) return [context.fits];
    const [, message] = /"message":(.*)\}$/s.exec(context.chance.of(fit).body) ?? [];
    return [{ ...context.fits, body: message ? context.fits.body.replace(/"message":.*\}$/s, () => `"message":${message}}`) : context.fits.body }];
  } },
  'signed: another move': { plan: moves, change: ({ fits, chance, log }) => {
    const of = log.said().filter(({ type }) => type === 'move').map(({ body }) => /"move":(.*)\}$/s.exec(body)[1]);
    const move = chance.of([() => chance.of(MOVES), () => chance.of(of.length ? of : MOVES), () => movesWith(chance), () => shuffleOf(chance)])();
    return [{ ...fits, body: fits.body.replace(/"move":.*\}$/s, () => `"move":${move}}`) }];
  } },
  'signed: another number in a message': { plan: (said, chance) => chance.of([cards, moves])(said, chance), change: ({ fits, chance }) => {
    const found = [...fits.body.matchAll(/(?<=[:[,])[0-9]+(?=[,\]}])/g)];
    if (!found.length) return [fits];
    const one = chance.of(found);
    const value = chance.of([Number(one[0]) + 1, Math.max(0, Number(one[0]) - 1), 0, 19, 20, 1000]);
    return [{ ...fits, body: fits.body.slice(0, one.index) + value + fits.body.slice(one.index + one[0].length) }];
  } },
  'signed: JSON written otherwise': { plan: anywhere, change: ({ fits, chance }) => [{ ...fits, body: chance.of(JSON_TWISTS)(fits.body) }] },
  'signed: JSON of a message written otherwise': { plan: (said, chance) => chance.of([cards, moves])(said, chance), change: ({ fits, chance }) => [{ ...fits, body: fits.body.replace(/(?<="(?:message|move)":).*(?=\}$)/s, (text) => chance.of(JSON_TWISTS)(text)) }] },
  'signed: another duty': { plan: anywhere, change: ({ fits, teller, chance }) => {
    const ids = [...teller.table.history.keys()];
    return [{ ...fits, body: fits.body.replace(/"duty":"[^"]*"/, `"duty":"${chance.of([chance.of(ids), digest(chance)])}"`) }];
  } },
  'signed: another head of an entry': { plan: anywhere, change: ({ fits, teller, chance, log }) => [{ ...fits, ...chance.of([
    () => ({ seen: chance.below(teller.lines.length + 1) }), () => ({ seen: Math.max(0, fits.seen - 1) }), () => ({ head: chance.take(32) }), () => ({ hand: fits.hand + 1 }), () => ({ hand: Math.max(0, fits.hand - 1) }), () => ({ seat: seatOf({ log, chance }) }),
    () => ({ seq: (teller.numbers.get(fits.seat) ?? 0) + 1 }), () => ({ seq: Math.max(0, (teller.numbers.get(fits.seat) ?? 0) - 1) }), () => ({ session: chance.take(32) }), () => ({ roster: chance.take(32) }), () => ({ key: log.secrets.get(seatOf({ log, chance })).key }), () => ({ seat: 19 }), () => ({ hand: 2 ** 53 }), () => ({ roster: H('roster', chance.take(3)) }),
  ])() }] },
  'signed: something more': aside((context) => {
    const seat = seatOf(context);
    return [{ seat, body: remark(context, seat), seen: context.teller.lines.length - context.chance.of([0, 0, 0, 1, 2, 5]) }];
  }),
  'signed: something more of several': aside((context) => [...context.log.secrets.keys()].filter(() => context.chance.below(3)).map((seat) => ({ seat, body: remark(context, seat) }))),
  'signed: all leave but one, or do not wait': aside((context) => {
    const { chance, teller, log } = context;
    const out = seatOf(context);
    const hex = (id) => toHex(fromBase64(id));
    const ids = [...teller.table.open].filter(([, duty]) => duty.seat === out && !duty.optional).map(([id]) => id).sort((a, b) => (hex(a) < hex(b) ? -1 : 1));
    const body = chance.below(3) || !ids.length ? null : `{"type":"break","duty":"${ids[0]}"}`;
    if (!ids.length) return [{ seat: out, body: '{"type":"leave"}' }];
    return [...log.secrets.keys()].filter((seat) => seat !== out).map((seat) => ({ seat, body: body ?? `{"type":"without","duties":${JSON.stringify(ids)}}` }));
  }),
  'signed: envelopes that nobody seals': aside((context) => {
    const { chance, teller } = context;
    const { table } = teller;
    const asked = (seat, move) => {
      const mine = [...table.open].find(([, duty]) => duty.seat === seat && duty.deck === 'table' && duty.kind === 'move');
      if (mine) teller.say({ seat, body: `{"type":"move","duty":"${mine[0]}","move":${JSON.stringify(move)}}` });
    };
    const [out, ...others] = table.game && table.phase === 'playing' ? table.voters().reverse() : [];
    if (!others.length) return [];
    const deck = chance.of([5, 5, 8, 9]);
    asked(others[0], { type: 'seal', deck, seats: [out] });
    teller.say({ seat: out, body: '{"type":"leave"}' });
    asked(others[0], chance.of([{ type: 'seal', deck, seats: [] }, { type: 'unseal', deck }, { type: 'roll', deck, sides: [6] }, { type: 'shuffle', deck, cards: 2, faces: [] }]));
    return [];
  }),
  'signed: all leave between hands, and some sign the end': { plan: ofTypes('begin', 'end'), change: ({ chance, teller, log }) => {
    const seats = [...log.secrets.keys()];
    for (const seat of seats) teller.say({ seat, body: '{"type":"leave"}' });
    const owed = (seat) => [...teller.table.open].find(([, duty]) => duty.seat === seat && duty.kind === 'end')?.[0] ?? digest(chance);
    teller.cut = true;
    return seats.filter(() => chance.below(3)).map((seat) => ({ seat, body: `{"type":"end","duty":"${owed(seat)}"}` }));
  } },
  'signed: another roster': aside((context) => agreedTo(context, rosterOf(context.teller.table, context.chance))),
  'signed: a newcomer, with any key': aside((context) => agreedTo(context, null)),
  'signed: by another R': { plan: anywhere, change: ({ fits, chance, log }) => [{ ...fits, sign: (text) => strange(log.secrets.get(fits.seat).key, text, chance) }] },
  'signed: a contradiction': aside(({ teller, entry, fits, chance }) => {
    const number = teller.numbers.get(entry.seat) ?? 0;
    if (!number) return [];
    return [{ ...fits, seq: chance.below(number), body: chance.of(['{"type":"leave"}', '{"type":"word","text":"no"}', fits.body, '5', '{']) }];
  }),
  'signed: an answer that is late': aside(({ teller, chance, log }) => {
    const { table } = teller;
    const closed = [...table.history].flatMap(([id, spans]) => spans.filter(({ to }) => to !== Infinity).map((span) => ({ id, ...span })));
    if (!closed.length) return [];
    const { id, duty, from, to } = chance.of(closed);
    const body = duty.deck !== 'table' ? `{"type":"cards","duty":"${id}","message":{}}` : { move: `{"type":"move","duty":"${id}","move":5}`, end: `{"type":"end","duty":"${id}"}`, begin: `{"type":"begin","duty":"${id}","commitment":"${digest(chance)}"}` }[duty.kind];
    const more = chance.of([{}, { hand: 7 }, { hand: table.hand + 1 }, { roster: chance.take(32) }, { seat: seatOf({ log, chance }) }, { seen: to }, { hand: 0, seen: teller.lines.length }]);
    return [{ seat: duty.seat, body, hand: duty.hand, seen: from + chance.below(to - from), ...more }];
  }),
  'signed: an entry twice': { plan: anywhere, change: ({ fits, teller }) => {
    teller.say(fits);
    return [teller.lines.at(-1)];
  } },
  'signed: an entry left out': { plan: anywhere, change: () => [] },
  'signed: an entry later': { plan: anywhere, change: ({ fits, teller, chance }) => {
    const before = teller.delayed;
    teller.delayed = chance.below(2) ? fits : null;
    return [...(before ? [before] : []), ...(teller.delayed ? [] : [fits])];
  } },
  'signed: the end left out': { plan: anywhere, change: ({ teller }) => {
    teller.cut = true;
    return [];
  } },
};
