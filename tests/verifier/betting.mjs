// Hands of hold'em that were played by the other program's rules, told to the second verifier's: one JSON line for each difference.
// Each line of the input is a session: {parameters, seats, hands: [[step, …], …]}, a step being {do, wants}; wants is null where
// what was done must be refused.
import { readFileSync } from 'node:fs';
import { Malformed } from '../../verifier/bytes.mjs';
import { HoldemRules } from '../../verifier/games/holdem.mjs';

const shown = ({ type, seats, operations, net, result }) => {
  if (type === 'turn') return { turn: seats };
  if (type === 'ask') return { ask: operations };
  const { button, ended, stacks, board, pots, shown: cards, gone, dead, charged } = result;
  return { done: { button, ended, stacks, board, pots, shown: cards, gone, dead, charged }, net: net.filter(([, amount]) => amount) };
};

function act(hand, [what, ...rest]) {
  if (what === 'moved') hand.moved(...rest);
  if (what === 'told') hand.told(rest[0]);
  if (what === 'charged') hand.charged(...rest);
  if (what === 'left') hand.left(...rest);
  if (what === 'default' && hand.default(rest[0]) !== rest[1]) throw new Error(`another default: ${hand.default(rest[0])}`);
}

function differs(hand, { do: done, wants }) {
  try {
    act(hand, done);
  } catch (error) {
    if (!(error instanceof Malformed)) return error.stack;
    return wants === null ? null : `refused: ${error.message}`;
  }
  if (wants === null) return 'not refused';
  const now = JSON.stringify(shown(hand.wants));
  return now === JSON.stringify(wants) ? null : now;
}

readFileSync(process.argv[2], 'utf8').trim().split('\n').forEach((line, session) => {
  const { parameters, seats, hands } = JSON.parse(line);
  const rules = new HoldemRules(parameters);
  const table = { chips: new Map(seats.map((seat) => [seat, rules.stake])) };
  for (const [number, steps] of hands.entries()) {
    const hand = rules.begin(number, seats, table);
    for (const [at, step] of steps.entries()) {
      const found = differs(hand, step);
      if (found === null) continue;
      console.log(JSON.stringify({ session, hand: number, at, step, found }));
      return;
    }
    for (const [seat, net] of hand.done.net) table.chips.set(seat, table.chips.get(seat) + net);
  }
});
