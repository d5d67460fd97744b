// The hearts table: the trick in the middle of the felt, your hand as a fan below it, points beside the names.
import { Felt } from "/static/js/felt.js";
import { T, button, card, cardName, fill, flyFrom, h, motion, setText, toggleClass } from "/static/js/kit.js";

const W = T.hearts;
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
/** Milliseconds before the page plays a move that leaves no choice. */
const FORCED_MOVE_DELAY = 700;

export default function createTable({ root, actions, table, say: send, names }) {
  const felt = new Felt(root, table.seats, table.you);
  const trick = h("div", { class: "trick", role: "group", "aria-label": W.trick });
  const news = h("p", { class: "news", role: "status" });
  const hand = h("div", { class: "own", role: "group", "aria-label": W.hand });
  felt.center.append(trick, news);
  root.append(hand);
  for (const pod of felt.pods.values()) {
    pod.lacks = h("span", { class: "lacks" });
    pod.element.append(pod.lacks);
  }
  // Seat to its place around the felt.
  const spot = new Map(felt.order.map(({ seat }, at) => [seat, at]));
  let page = null;
  let ask = null;
  let lastMove = null;
  let chosen = [];
  // What the hand shows now, as a key to compare.
  let shownHand = "";
  let timer = null;

  // --- The table ---

  function update(view, { moving = true } = {}) {
    page = view.page;
    felt.update(view, { stacks: false });
    if (!page.seats) {
      page = null;
      fill(trick).dataset.key = "";
      fill(hand);
      shownHand = "";
      setText(news, "");
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
    setText(pod.stack, W.points(one.total, one.taken));
    pod.stack.setAttribute("aria-label", W.pointsLabel(one.total, one.taken));
    pod.stack.title = W.cards(one.held);
    setText(pod.lacks, one.lacks.length ? W.lacks(one.lacks.map((letter) => SIGNS[letter]).join(" ")) : "");
    pod.lacks.title = one.lacks.length ? W.lacksLabel(one.lacks.map((letter) => T.suits[letter] ?? letter)) : "";
    const won = page.trick.cards.length === 0 && page.last?.winner === one.seat && page.stage !== "over";
    toggleClass(pod.element, "took", won);
  }

  /** Show the current trick; until its first card, the previous one, so that you see who took it. */
  function showTrick(moving) {
    const past = page.trick.cards.length === 0 && page.last !== null;
    const cards = past ? page.last.cards : page.trick.cards;
    const key = JSON.stringify([past, cards]);
    if (trick.dataset.key === key) return;
    const before = new Set([...trick.children].map((element) => element.dataset.face));
    trick.dataset.key = key;
    toggleClass(trick, "past", past);
    fill(
      trick,
      cards.map(({ seat, card: face }) => {
        const element = card(face);
        element.classList.add(`at-${spot.get(seat) ?? 0}`);
        toggleClass(element, "takes", past && seat === page.last.winner);
        if (moving && !before.has(face)) queueMicrotask(() => flyFrom(element, felt.pod(seat)?.element, { duration: 300, fade: false }));
        return element;
      }),
    );
  }

  function showHand(moving) {
    const passing = page.stage === "passing";
    const key = JSON.stringify([page.mine, chosen, Boolean(ask), page.stage]);
    if (shownHand === key) return;
    const dealt = shownHand === "" && moving && !motion.off;
    const focused = hand.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    shownHand = key;
    const middle = (page.mine.length - 1) / 2;
    fill(
      hand,
      page.mine.map((one, at) => {
        const can = Boolean(ask) && one.can && page.stage !== "opening";
        const is = chosen.includes(one.place);
        const label = `${cardName(one.card)}${ask && !one.can ? `, ${W.unplayable}` : ""}`;
        const element = h(
          "button",
          { type: "button", class: `held${can ? " can" : ""}${is ? " chosen" : ""}${ask && !one.can ? " cannot" : ""}`, "aria-label": label, "aria-pressed": passing || is ? is : null, disabled: !can, data: { place: one.place, card: one.card }, onclick: () => choose(one) },
          card(one.card),
        );
        element.style.setProperty("--turn", `${(at - middle) * 1.6}deg`);
        element.style.setProperty("--drop", `${(at - middle) ** 2 * 0.45}px`);
        if (dealt) queueMicrotask(() => flyFrom(element, felt.center, { delay: at * 45, turn: 40 }));
        return element;
      }),
    );
    if (focused !== null) hand.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  const namesOf = (seats) => seats.map((seat) => names(seat)).join(", ");

  /** Show the line in the middle: a result, a proof that is awaited, who took the trick. */
  function showNews() {
    const { result, proving, last: before } = page;
    if (result) {
      const points = result.points.map((one) => W.handPointsOf(names(one.seat), one.points)).join(", ");
      const parts = [result.moon === null ? null : W.moon(names(result.moon)), result.spoilt.length ? W.spoiled(namesOf(result.spoilt)) : W.handPoints(points), result.over ? W.wins(namesOf(result.winners)) : null];
      setText(news, parts.filter(Boolean).join(" · "));
    } else if (proving.length) setText(news, proving.length > 1 ? W.opens : W.proves(names(proving[0].seat), proving[0].what));
    else if (page.stage === "passing") setText(news, W.passes[page.passing]);
    else if (page.stage === "opening") setText(news, W.opens);
    else if (page.trick.cards.length === 0 && before) setText(news, W.takes(names(before.winner), before.points));
    else setText(news, "");
  }

  // --- Moves ---

  /** Choose a card of the hand, or put it back. Choosing the same card twice plays it. */
  function choose(one) {
    if (!ask) return;
    if (page.stage === "passing") {
      if (chosen.includes(one.place)) chosen = chosen.filter((place) => place !== one.place);
      else if (chosen.length < page.give) chosen = [...chosen, one.place];
    } else if (chosen[0] === one.place) {
      commit();
      return;
    } else chosen = [one.place];
    showHand(false);
    showBar();
  }

  /** Send the chosen cards as a move. */
  function commit() {
    if (page.stage === "passing") {
      if (chosen.length === page.give) move({ type: "give", places: [...chosen].sort((a, b) => a - b) });
    } else if (chosen.length) move({ type: "play", place: chosen[0] });
  }

  /** Send a move and disable everything until the answer. `sure`: also if it is likely to be regretted. */
  function move(made, sure = false) {
    if (!ask) return;
    lastMove = made;
    for (const one of [...actions.querySelectorAll("button"), ...hand.querySelectorAll("button")]) one.disabled = true;
    send({ type: "move", ask: ask.ask, move: made, sure });
  }

  /** Show what is asked, and the button that answers it. */
  function showBar() {
    clearTimeout(timer);
    if (!ask || !page) {
      const mine = page?.seats.find((one) => one.seat === table.you);
      const text = table.you === null ? T.watching : page?.result ? "" : page?.stage === "passing" && mine?.has_passed ? W.passed : W.waiting;
      fill(actions, h("p", { class: "resting" }, text));
      return;
    }
    if (page.stage === "opening") {
      // There is no choice: the player with the card leads it, and the others declare that they do not have it.
      const asked = ask;
      fill(actions, h("p", { class: "resting" }, page.opening.type === "lead" ? W.youOpen : W.youDoNotOpen));
      timer = setTimeout(() => ask === asked && move(page.opening), motion.off ? 0 : FORCED_MOVE_DELAY);
      return;
    }
    const passing = page.stage === "passing";
    const to = passing ? names(page.seats.find((one) => one.seat === table.you).passes_to) : "";
    const one = page.mine.find((mine) => mine.place === chosen[0]);
    const text = passing ? W.choose(page.give, to) : page.trick.cards.length ? W.follow : W.lead;
    const label = passing ? W.pass(to) : one ? W.play(cardName(one.card)) : W.chooseCard;
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
      showBar();
    },
    working({ steps }) {
      const busy = steps.find(([, kind]) => /shuffle|mask|deck/.test(kind));
      if (busy && !page) setText(news, busy[0] === table.you ? T.working.youShuffle : T.working.shuffles(names(busy[0])));
    },
    chat(chat) {
      const pod = felt.pod(chat.seat);
      if (pod) setText(pod.status, chat.text.slice(0, 40));
    },
    sure() {
      if (lastMove) move(lastMove, true);
    },
    refused() {
      shownHand = "";
      if (page) showHand(false);
      showBar();
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
