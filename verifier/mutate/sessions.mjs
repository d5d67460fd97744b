// What is changed in a proposal before its session is agreed and its log told again.
const operations = (change) => ({ game: { parameters } }, chance) => {
  if (parameters.operations) parameters.operations = change(parameters.operations, chance);
};

export const SESSIONS = [
  operations((all, chance) => [...all, chance.of(all)]),
  operations(() => []),
  operations((all) => all.slice(1)),
  operations((all) => all.slice(0, 1)),
  operations((all) => [...all].reverse()),
  operations((all) => ['newdeck:owned', ...all]),
  operations((all, chance) => all.filter((_, i) => !i || chance.below(4))),
  ({ game: { parameters } }, chance) => {
    if ('cards' in parameters) parameters.cards = chance.of([0, 1, 2, 3, 10000, 10001]);
  },
  (proposal, chance) => {
    proposal.hands = chance.of([0, 1, 2]);
  },
  (proposal) => {
    proposal.rehearsal = true;
  },
];
