// A seat of the npm package `mental-poker`, driven from outside: a request a line on stdin, an answer a line on stdout,
// both JSON. Points and secrets are hex. Everything about cards is done by the package's own functions; all that is
// added is what it leaves to its users: a shuffle, and looking a face up.

'use strict';

const { randomInt } = require('crypto');
const readline = require('readline');
const poker = require('mental-poker');

const hex = buffer => buffer.toString('hex');
const bytes = text => Buffer.from(text, 'hex');
const hexes = buffers => buffers.map(hex);
const buffers = texts => texts.map(bytes);

// Fisher-Yates: an order of 0 .. count - 1.
const randomOrder = (count) => {
  const order = [...Array(count).keys()];
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = randomInt(last + 1);
    [order[last], order[chosen]] = [order[chosen], order[last]];
  }
  return order;
};

const cascade = (player, deck, order) =>
  poker.encryptDeck(order.map(place => deck[place]), player.keyPairs[deck.length].privateKey);

const lock = (player, deck) => {
  const secret = player.keyPairs[deck.length].privateKey;
  const keys = player.keyPairs.slice(0, deck.length).map(pair => pair.privateKey);
  return poker.encryptDeck(poker.decryptDeck(deck, secret), keys);
};

// The package falls back to plain JavaScript without a word when the addon of secp256k1 was not built.
const isNative = () => Object.keys(require.cache).some(path => path.endsWith('.node'));

let self = null;
let order = null;
let codewords = [];

const answers = {
  about: () => ({
    native: isNative(),
    node: process.versions.node,
    version: require('mental-poker/package.json').version,
    secp256k1: require('secp256k1/package.json').version,
  }),

  // A new player: its fragments and public keys.
  player: ({ cards }) => {
    self = poker.createPlayer(poker.createConfig(cards));
    return {
      fragments: hexes(self.cardCodewordFragments),
      keys: self.keyPairs.map(pair => hex(pair.publicKey)),
    };
  },

  faces: ({ fragments }) => {
    const deck = poker.createDeck(fragments.map(buffers));
    codewords = hexes(deck);
    return { deck: codewords, distinct: poker.isDeckDuplicateFree(deck) };
  },

  cascade: ({ deck }) => {
    order = randomOrder(deck.length);
    return { deck: hexes(cascade(self, buffers(deck), order)) };
  },

  lock: ({ deck }) => ({ deck: hexes(lock(self, buffers(deck))) }),

  distinct: ({ deck }) => ({ distinct: poker.isDeckDuplicateFree(buffers(deck)) }),

  // This seat's secrets for some places.
  secrets: ({ places }) => ({ secrets: places.map(place => hex(self.keyPairs[place].privateKey)) }),

  // Whether each secret is the one of its public key.
  verify: ({ keys, secrets }) => ({
    valid: keys.map((key, i) => poker.verifyKeyPair({ publicKey: bytes(key), privateKey: bytes(secrets[i]) })),
  }),

  // The face at a place, from the others' secrets for it and this seat's own; -1 for none.
  read: ({ card, place, secrets }) => {
    const all = [self.keyPairs[place].privateKey, ...buffers(secrets)];
    return { face: codewords.indexOf(hex(poker.decryptCard(bytes(card), all))) };
  },

  // Everything this seat kept to itself, when the game is over.
  reveal: () => ({ secrets: self.keyPairs.map(pair => hex(pair.privateKey)), order }),

  // The CPU time of a cascade and a lock by all seats, from bytes to bytes, and of making the key pairs for them.
  time: ({ seats, cards }) => {
    const config = poker.createConfig(cards);
    const fragments = [...Array(seats)].map(() => poker.createPlayer(config).cardCodewordFragments);
    let deck = poker.createDeck(fragments);
    const start = process.cpuUsage();
    // The fragments are there: only the key pairs are made here.
    const players = [...Array(seats)].map(() => poker.createPlayer(config, () => poker.createKeyPair(), () => null));
    const made = process.cpuUsage(start);
    players.forEach((player) => { deck = cascade(player, deck, randomOrder(cards)); });
    players.forEach((player) => { deck = lock(player, deck); });
    const all = process.cpuUsage(start);
    return { seconds: (all.user + all.system) / 1e6, keys: (made.user + made.system) / 1e6 };
  },
};

const answer = (line) => {
  try {
    const request = JSON.parse(line);
    return answers[request.do](request);
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(`${JSON.stringify(answer(line))}\n`);
});
