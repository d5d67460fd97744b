// The hold'em table: board, pots, bets and cards on the felt, and the betting buttons.
import { Felt } from "/static/js/felt.js";
import { T, appear, button, card, cardBack, chips, fill, flip, flyFrom, h, motion, plainText, setText, toggleClass } from "/static/js/kit.js";

const H = T.holdem;

export default function createTable({ root, actions, table, say: send, names }) {
  const felt = new Felt(root, table.seats, table.you);
  const board = h("div", { class: "board", role: "group", "aria-label": H.board });
  const pots = h("div", { class: "pots" });
  const news = h("p", { class: "news" });
  const deck = h("div", { class: "deck", "aria-hidden": "true" }, [1, 2, 3, 4].map(() => cardBack()));
  felt.center.append(pots, board, news);
  felt.element.append(deck);
  for (const pod of felt.pods.values()) {
    // The name of the hand: "pair of kings".
    pod.called = h("span", { class: "called" });
    pod.element.append(pod.called);
    pod.shownCards = "";
  }
  const slots = Array.from({ length: 5 }, () => h("div", { class: "slot" }));
  board.append(...slots);
  let before = null;
  let ask = null;
  let lastMove = null;
  let bet = null;
  let isShuffling = false;

  // --- The table ---

  function update(view, { moving = true } = {}) {
    const page = view.page;
    felt.update(view, { stacks: !page.seats });
    if (!page.seats) {
      for (const pod of felt.pods.values()) clearPod(pod);
      showBoard([], false);
      fill(pots).dataset.key = "";
      setText(news, "");
      before = null;
      return;
    }
    const same = before !== null && before.hand === page.hand;
    showBoard(page.board, same && moving);
    showPots(page);
    const playing = new Map(page.seats.map((one) => [one.seat, one]));
    for (const [seat, pod] of felt.pods) {
      const one = playing.get(seat);
      if (!one) {
        clearPod(pod);
        continue;
      }
      showSeat(pod, one, page, same && moving);
    }
    // The result stays readable until the next hand is shuffled.
    if (page.stage !== "over" && !felt.element.classList.contains("shuffling")) setText(news, "");
    showWinners(page);
    before = page;
  }

  function clearPod(pod) {
    fill(pod.cards);
    fill(pod.bet).dataset.bet = 0;
    fill(pod.badge).dataset.shown = "";
    setText(pod.called, "");
    pod.shownCards = "";
    toggleClass(pod.element, "folded", false);
    toggleClass(pod.element, "wins", false);
  }

  function showBoard(faces, moving) {
    slots.forEach((slot, at) => {
      const face = faces[at] ?? "";
      if ((slot.dataset.face ?? "") === face) return;
      const made = face ? card(face) : h("div", { class: "slot" });
      made.dataset.face = face;
      slot.replaceWith(made);
      slots[at] = made;
      if (face && moving) flip(made, { delay: (faces.length === 3 ? at : 0) * 130 });
    });
  }

  function showPots(page) {
    const bets = page.seats.reduce((sum, one) => sum + one.bet, 0);
    const several = page.pots.length > 1;
    const key = JSON.stringify([page.pots, page.pot, bets]);
    if (pots.dataset.key === key) return;
    pots.dataset.key = key;
    const label = (at) => (several ? (at === 0 ? H.mainPot : H.sidePot(page.pots.length > 2 ? at : 0)) : H.pot);
    const shown = several ? page.pots : [page.pot];
    fill(pots, shown.map((amount, at) => h("span", {}, h("span", { class: "label" }, label(at)), chips(amount))));
  }

  function showSeat(pod, one, page, moving) {
    const old = before?.seats?.find((other) => other.seat === one.seat);
    setText(pod.stack, one.stack.toLocaleString("en"));
    toggleClass(pod.element, "folded", !one.in && page.stage !== "over");
    const allIn = one.in && one.stack === 0 && page.stage !== "over";
    if (allIn && !pod.status.textContent) setText(pod.status, T.seat.allIn);
    if (!one.in && page.stage !== "over" && !pod.status.textContent) setText(pod.status, T.seat.folded);
    showBadges(pod, one.seat, page);
    showCards(pod, one, page, moving);
    const had = old?.bet ?? 0;
    if (one.bet !== Number(pod.bet.dataset.bet ?? 0)) {
      pod.bet.dataset.bet = one.bet;
      if (one.bet) {
        const made = chips(one.bet);
        made.setAttribute("aria-label", H.bets(names(one.seat), one.bet));
        made.setAttribute("role", "img");
        fill(pod.bet, made);
        if (moving && one.bet > had) flyFrom(made, pod.element, { duration: 260 });
      } else {
        fill(pod.bet);
      }
    }
    const mine = one.seat === table.you;
    setText(pod.called, mine ? (page.called ?? "") : (one.called ?? ""));
  }

  /** Show the dealer button and the blinds. */
  function showBadges(pod, seat, page) {
    const dealer = H.dealerButton.short;
    const shown = [seat === page.button ? dealer : "", page.blinds?.small === seat ? H.blind.small : "", page.blinds?.big === seat ? H.blind.big : ""].filter(Boolean);
    if (pod.badge.dataset.shown === shown.join()) return;
    pod.badge.dataset.shown = shown.join();
    fill(pod.badge, shown.map((text) => h("span", { class: `badge${text === dealer ? " button-d" : ""}`, title: text === dealer ? H.dealerButton.long : null }, text)));
  }

  /** Show a seat's cards: face up if they are known here, else face down. */
  function showCards(pod, one, page, moving) {
    const mine = one.seat === table.you;
    const open = one.shown.length ? one.shown : mine ? page.mine : [];
    const hidden = open.length ? 0 : one.held && one.in ? one.held : 0;
    const key = `${open.join(" ")}/${hidden}`;
    if (pod.shownCards === key) return;
    const was = pod.shownCards;
    pod.shownCards = key;
    toggleClass(pod.cards, "shown", open.length && !mine);
    fill(pod.cards, open.length ? open.map((face) => card(face)) : Array.from({ length: hidden }, () => cardBack()));
    if (!moving || !pod.cards.childElementCount) return;
    const dealt = !was || was === "/0";
    [...pod.cards.children].forEach((element, at) => {
      if (dealt) flyFrom(element, deck, { delay: at * 110, turn: 160 });
      else if (open.length) flip(element, { delay: at * 90 });
    });
  }

  function showWinners(page) {
    const won = new Set((page.result?.pots ?? []).flatMap((pot) => pot.winners.map((winner) => winner.seat)));
    for (const [seat, pod] of felt.pods) toggleClass(pod.element, "wins", won.has(seat));
  }

  // --- Betting ---

  /** Show the buttons for the open question, or that it is not your turn. */
  function showQuestion(asked) {
    ask = asked;
    if (!ask || ask.for !== "move" || !before) {
      bet = null;
      fill(actions, table.you === null ? h("p", { class: "resting" }, T.watching) : h("p", { class: "resting" }, H.waiting));
      return;
    }
    const legal = before.legal;
    const mine = before.seats.find((one) => one.seat === table.you);
    if (legal.show) {
      bet = null;
      fill(
        actions,
        h("div", { class: "betting" }, h("p", { class: "resting" }, before.stage === "claiming" ? H.claim : H.showdown), h("div", { class: "moves" }, button(H.muck, () => move({ type: "muck" }), { key: "M" }), button(H.show, () => move({ type: "show" }), { key: "S", kind: "primary" }))),
      );
      return;
    }
    const call = legal.call ?? 0;
    const callText = call === 0 ? H.check : call >= mine.stack ? H.callAllIn(call) : H.call(call);
    const fold = button(H.fold, () => move({ type: "fold" }), { key: "F", kind: "fold", disabled: !legal.fold });
    const calls = button(callText, () => move({ type: "call" }), { key: "C" });
    const bar = h("div", { class: "betting" });
    if (legal.raise_from === null) {
      bet = null;
      bar.append(h("div", { class: "moves" }, fold, calls));
    } else {
      bar.append(createBetControls(legal, mine, call), h("div", { class: "moves" }, fold, calls, bet.button));
    }
    fill(actions, bar);
    appear(bar, { duration: 160 });
  }

  /**
   * Create the controls for the amount of a bet, and set `bet`. An amount is what you have in front of you afterwards.
   * Steps are the big blind; all in is always possible.
   */
  function createBetControls(legal, mine, call) {
    const { raise_from: least, raise_to: most } = legal;
    const step = before.blinds?.amount || 1;
    const isFirstBet = before.seats.every((one) => one.bet === 0);
    const toCall = mine.bet + call;
    const pot = before.pot + call;
    const shareOfPot = (share) => clamp(Math.round((toCall + pot * share) / step) * step);
    const clamp = (amount) => Math.max(least, Math.min(most, Math.round(amount) || least));
    const range = h("input", { type: "range", min: least, max: most, step: 1, value: least, "aria-label": H.amount, disabled: least === most });
    const number = h("input", { type: "number", min: least, max: most, value: least, "aria-label": H.amount, inputmode: "numeric", disabled: least === most });
    const go = button("", () => move({ type: "raise", to: bet.amount }), { key: "R", kind: "primary" });
    const set = (amount, typing = false) => {
      bet.amount = clamp(amount);
      range.value = bet.amount;
      if (!typing) number.value = bet.amount;
      setText(go.firstChild, bet.amount === most ? H.allIn(most) : isFirstBet ? H.bet(bet.amount) : H.raise(bet.amount));
    };
    bet = { amount: least, button: go, set, step, most };
    // The slider moves in steps but reaches both ends.
    range.addEventListener("input", () => {
      const raw = Number(range.value);
      set(raw === most || raw === least ? raw : Math.round(raw / step) * step);
    });
    number.addEventListener("input", () => set(Number(number.value), true));
    number.addEventListener("change", () => set(Number(number.value)));
    number.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        set(Number(number.value));
        go.click();
      }
    });
    set(least);
    const size = (label, amount) => button(label, () => set(amount), { kind: "quiet", disabled: amount < least || amount > most });
    return h("div", { class: "sizes" }, size(H.min, least), size(H.halfPot, shareOfPot(0.5)), size(H.threeQuarterPot, shareOfPot(0.75)), size(H.fullPot, shareOfPot(1)), size(H.max, most), range, number);
  }

  /** Send a move and disable the buttons until the answer. `sure`: also if it is likely to be regretted. */
  function move(made, sure = false) {
    if (!ask) return;
    lastMove = made;
    for (const one of actions.querySelectorAll("button")) one.disabled = true;
    send({ type: "move", ask: ask.ask, move: made, sure });
  }

  const press = (selector) => actions.querySelector(selector)?.click();

  return {
    keys: H.shortcuts,
    update,
    ask: showQuestion,
    working({ steps }) {
      const shuffling = steps.find(([, kind]) => /shuffle|mask|lock|deck/.test(kind));
      toggleClass(deck, "on", Boolean(shuffling) && !motion.off);
      toggleClass(felt.element, "shuffling", Boolean(shuffling));
      if (shuffling) {
        setText(news, shuffling[0] === table.you ? T.working.youShuffle : T.working.shuffles(names(shuffling[0])));
        for (const pod of felt.pods.values()) toggleClass(pod.element, "wins", false);
        isShuffling = true;
      } else if (isShuffling) {
        isShuffling = false;
        setText(news, "");
      }
    },
    line(line) {
      if (line.event === "result" && line.data.outcome.length) setText(news, line.data.outcome.join(" · "));
      if (line.event === "move" && line.seat !== null) {
        const pod = felt.pod(line.seat);
        if (pod && line.lines.length) setText(pod.status, plainText(line.lines[0]));
      }
    },
    chat(chat) {
      const pod = felt.pod(chat.seat);
      if (pod) setText(pod.status, chat.text.slice(0, 40));
    },
    sure() {
      if (lastMove) move(lastMove, true);
    },
    refused() {
      showQuestion(ask);
    },
    key(event) {
      if (!ask) return;
      const key = event.key.toLowerCase();
      const keys = { f: ".fold", c: "[aria-keyshortcuts=C]", r: "[aria-keyshortcuts=R]", s: "[aria-keyshortcuts=S]", m: "[aria-keyshortcuts=M]" };
      if (keys[key]) press(keys[key]);
      else if (key === "a" && bet) bet.set(bet.most);
      else if (bet && (key === "arrowup" || key === "arrowdown")) bet.set(bet.amount + (key === "arrowup" ? bet.step : -bet.step));
      else return;
      event.preventDefault();
    },
    destroy() {
      felt.destroy();
    },
  };
}
