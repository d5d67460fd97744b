// Hearts at the felt: the trick in the middle, one's hand as a fan below, points beside the names.
import { Felt } from "/static/js/felt.js";
import { T, button, card, cardName, fill, flag, from, h, motion, say } from "/static/js/kit.js";

const W = {
  hand: "Your hand",
  trick: "The trick",
  points: (total, taken) => `${total} · +${taken}`,
  pointsOf: (total, taken) => `${total} points, and ${taken} taken in this hand`,
  cards: (n) => (n === 1 ? "1 card" : `${n} cards`),
  lacks: (signs) => `no ${signs}`,
  lacksOf: (names) => `has proven: no ${names.join(", no ")}`,
  choose: (n, to) => `Choose ${n} cards for ${to}.`,
  pass: (to) => `Pass them to ${to}`,
  passed: "You have passed; the others choose.",
  passes: (way) => ({ left: "Three cards go to the left", right: "Three cards go to the right", across: "Three cards go across", hold: "No cards are passed" })[way],
  lead: "Your lead.",
  follow: "Your turn.",
  play: (name) => `Play the ${name}`,
  waiting: "Not your turn",
  opens: "Who has the two of clubs leads it.",
  have: "You have the two of clubs, and lead it.",
  haveNot: "You do not have the two of clubs.",
  proves: (name, what) => `${name} proves: no ${what}`,
  takes: (name, n) => (n ? `${name} takes the trick, ${n === 1 ? "1 point" : `${n} points`}` : `${name} takes the trick`),
  moon: (name) => `${name} shot the moon`,
  spoilt: (names) => `${names}: 26 points`,
  wins: (names) => `${names} won the game`,
  counted: (names) => `The hand: ${names}`,
  cannot: "cannot be played now",
  shortcuts: [["P", "pass the three chosen cards, or play the chosen one"]],
};
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
/** Before the page says what there is nothing to choose about. */
const PAUSE = 700;

export default function table({ root, actions, table: agreed, say: tell, names }) {
  const felt = new Felt(root, agreed.seats, agreed.you);
  const lies = h("div", { class: "trick", role: "group", "aria-label": W.trick });
  const news = h("p", { class: "news", role: "status" });
  const hand = h("div", { class: "own", role: "group", "aria-label": W.hand });
  felt.center.append(lies, news);
  root.append(hand);
  for (const pod of felt.pods.values()) {
    pod.lacks = h("span", { class: "lacks" });
    pod.element.append(pod.lacks);
  }
  const spot = new Map(felt.order.map(({ seat }, at) => [seat, at]));
  let page = null;
  let ask = null;
  let last = null;
  let chosen = [];
  let held = "";
  let timer = null;

  // --- What lies there ---

  function update(view, { moving = true } = {}) {
    page = view.page;
    felt.update(view, { stacks: false });
    if (!page.seats) {
      page = null;
      fill(lies).dataset.key = "";
      fill(hand);
      held = "";
      say(news, "");
      return;
    }
    for (const one of page.seats) showSeat(one);
    showTrick(moving);
    chosen = chosen.filter((place) => page.mine.some((one) => one.place === place));
    showHand(moving);
    showNews();
  }

  function showSeat(one) {
    const pod = felt.pod(one.seat);
    if (!pod) return;
    say(pod.stack, W.points(one.total, one.taken));
    pod.stack.setAttribute("aria-label", W.pointsOf(one.total, one.taken));
    pod.stack.title = W.cards(one.held);
    say(pod.lacks, one.lacks.length ? W.lacks(one.lacks.map((letter) => SIGNS[letter]).join(" ")) : "");
    pod.lacks.title = one.lacks.length ? W.lacksOf(one.lacks.map((letter) => T.suits[letter] ?? letter)) : "";
    const won = page.trick.cards.length === 0 && page.last?.winner === one.seat && page.stage !== "over";
    flag(pod.element, "took", won);
  }

  /** The cards of this trick; before its first one those of the last, so that nobody misses who took it. */
  function showTrick(moving) {
    const past = page.trick.cards.length === 0 && page.last !== null;
    const cards = past ? page.last.cards : page.trick.cards;
    const key = JSON.stringify([past, cards]);
    if (lies.dataset.key === key) return;
    const before = new Set([...lies.children].map((element) => element.dataset.face));
    lies.dataset.key = key;
    flag(lies, "past", past);
    fill(
      lies,
      cards.map(({ seat, card: face }) => {
        const element = card(face);
        element.classList.add(`at-${spot.get(seat) ?? 0}`);
        flag(element, "takes", past && seat === page.last.winner);
        if (moving && !before.has(face)) queueMicrotask(() => from(element, felt.pod(seat)?.element, { duration: 300, fade: false }));
        return element;
      }),
    );
  }

  function showHand(moving) {
    const passing = page.stage === "passing";
    const key = JSON.stringify([page.mine, chosen, Boolean(ask), page.stage]);
    if (held === key) return;
    const dealt = held === "" && moving && !motion.off;
    const focused = hand.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    held = key;
    const middle = (page.mine.length - 1) / 2;
    fill(
      hand,
      page.mine.map((one, at) => {
        const can = Boolean(ask) && one.can && page.stage !== "opening";
        const is = chosen.includes(one.place);
        const label = `${cardName(one.card)}${ask && !one.can ? `, ${W.cannot}` : ""}`;
        const element = h(
          "button",
          { type: "button", class: `held${can ? " can" : ""}${is ? " chosen" : ""}${ask && !one.can ? " cannot" : ""}`, "aria-label": label, "aria-pressed": passing || is ? is : null, disabled: !can, data: { place: one.place, card: one.card }, onclick: () => pick(one) },
          card(one.card),
        );
        element.style.setProperty("--turn", `${(at - middle) * 1.6}deg`);
        element.style.setProperty("--drop", `${(at - middle) ** 2 * 0.45}px`);
        if (dealt) queueMicrotask(() => from(element, felt.center, { delay: at * 45, turn: 40 }));
        return element;
      }),
    );
    if (focused !== null) hand.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  const all = (seats) => seats.map((seat) => names(seat)).join(", ");

  function showNews() {
    const { result, proving, last: before } = page;
    if (result) {
      const counted = result.points.map((one) => `${names(one.seat)} +${one.points}`).join(", ");
      const told = [result.moon === null ? null : W.moon(names(result.moon)), result.spoilt.length ? W.spoilt(all(result.spoilt)) : W.counted(counted), result.over ? W.wins(all(result.winners)) : null];
      say(news, told.filter(Boolean).join(" · "));
    } else if (proving.length) say(news, proving.length > 1 ? W.opens : W.proves(names(proving[0].seat), proving[0].what));
    else if (page.stage === "passing") say(news, W.passes(page.passing));
    else if (page.stage === "opening") say(news, W.opens);
    else if (page.trick.cards.length === 0 && before) say(news, W.takes(names(before.winner), before.points));
    else say(news, "");
  }

  // --- A move ---

  function pick(one) {
    if (!ask) return;
    if (page.stage === "passing") {
      const had = chosen.includes(one.place);
      if (had) chosen = chosen.filter((place) => place !== one.place);
      else if (chosen.length < page.give) chosen = [...chosen, one.place];
    } else if (chosen[0] === one.place) {
      commit();
      return;
    } else chosen = [one.place];
    showHand(false);
    bar();
  }

  function commit() {
    if (page.stage === "passing") {
      if (chosen.length === page.give) move({ type: "give", places: [...chosen].sort((a, b) => a - b) });
    } else if (chosen.length) move({ type: "play", place: chosen[0] });
  }

  function move(made, sure = false) {
    if (!ask) return;
    last = made;
    for (const one of [...actions.querySelectorAll("button"), ...hand.querySelectorAll("button")]) one.disabled = true;
    tell({ type: "move", ask: ask.ask, move: made, sure });
  }

  function bar() {
    clearTimeout(timer);
    if (!ask || !page) {
      const mine = page?.seats.find((one) => one.seat === agreed.you);
      const text = agreed.you === null ? T.watching : page?.result ? "" : page?.stage === "passing" && mine?.has_passed ? W.passed : W.waiting;
      fill(actions, h("p", { class: "resting" }, text));
      return;
    }
    if (page.stage === "opening") {
      // There is nothing to choose: who has the card leads it, and the others say that they do not have it.
      const asked = ask;
      fill(actions, h("p", { class: "resting" }, page.opening.type === "lead" ? W.have : W.haveNot));
      timer = setTimeout(() => ask === asked && move(page.opening), motion.off ? 0 : PAUSE);
      return;
    }
    const passing = page.stage === "passing";
    const to = passing ? names(page.seats.find((one) => one.seat === agreed.you).passes_to) : "";
    const one = page.mine.find((mine) => mine.place === chosen[0]);
    const text = passing ? W.choose(page.give, to) : page.trick.cards.length ? W.follow : W.lead;
    const label = passing ? W.pass(to) : one ? W.play(cardName(one.card)) : W.play("…");
    const ready = passing ? chosen.length === page.give : Boolean(one);
    fill(actions, h("div", { class: "hearts-bar" }, h("p", { role: "status" }, text), button(label, commit, { key: "P", kind: "primary", disabled: !ready })));
  }

  return {
    keys: W.shortcuts,
    update,
    ask(asked) {
      ask = asked && asked.for === "move" ? asked : null;
      chosen = [];
      if (page) showHand(false);
      bar();
    },
    working(document) {
      const busy = document.steps.find(([, kind]) => /shuffle|mask|deck/.test(kind));
      if (busy && !page) say(news, busy[0] === agreed.you ? T.working.youShuffle : T.working.shuffles(names(busy[0])));
    },
    chat(chat) {
      const pod = felt.pod(chat.seat);
      if (pod) say(pod.status, chat.text.slice(0, 40));
    },
    sure() {
      if (last) move(last, true);
    },
    refused() {
      held = "";
      if (page) showHand(false);
      bar();
    },
    key(event) {
      if (!ask || event.key.toLowerCase() !== "p") return;
      actions.querySelector("[aria-keyshortcuts=P]")?.click();
      event.preventDefault();
    },
    destroy() {
      clearTimeout(timer);
      felt.destroy();
    },
  };
}
