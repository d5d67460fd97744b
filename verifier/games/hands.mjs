// The best five of up to seven cards, as a number: the higher, the better. A face is 13 × suit + rank.
function five(ranks, flush) {
  const counts = new Map();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  const groups = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  const order = groups.map(([rank]) => rank);
  const shape = groups.map(([, count]) => count).join('');
  let top = null;
  if (groups.length === 5) {
    if (order[0] - order[4] === 4) [top] = order;
    else if (order[0] === 12 && order[1] === 3) top = 3;
  }
  const score = (kind, list) => list.reduce((total, rank) => total * 13 + rank, kind) * 13 ** (5 - list.length);
  if (top !== null) return score(flush ? 8 : 4, [top]);
  if (shape === '41') return score(7, order);
  if (shape === '32') return score(6, order);
  if (flush) return score(5, order);
  if (shape === '311') return score(3, order);
  if (shape === '221') return score(2, order);
  if (shape === '2111') return score(1, order);
  return score(0, order);
}

export function strength(faces) {
  let best = -1;
  const pick = (from, chosen) => {
    if (chosen.length === 5) {
      const flush = new Set(chosen.map((face) => Math.floor(face / 13))).size === 1;
      best = Math.max(best, five(chosen.map((face) => face % 13), flush));
      return;
    }
    for (let i = from; i <= faces.length - (5 - chosen.length); i += 1) pick(i + 1, [...chosen, faces[i]]);
  };
  pick(0, []);
  return best;
}

export const cardName = (face) => '23456789TJQKA'[face % 13] + 'cdhs'[Math.floor(face / 13)];
