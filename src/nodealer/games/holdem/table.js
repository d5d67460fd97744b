// Hold'em at the felt: board, pots, bets, cards, and the buttons of a bet.
import { Felt } from "/static/js/felt.js";
import { T, appear, back, button, card, chips, fill, flag, flip, from, h, motion, say } from "/static/js/kit.js";

const H = T.holdem;

export default function table({ root, actions, table: agreed, say: tell, names }) {
  const felt = new Felt(root, agreed.seats, agreed.you);
  const board = h("div", { class: "board", role: "group", "aria-label": T.log.board.replace(":", "") });
  const pots = h("div", { class: "pots" });
  const news = h("p", { class: "news" });
  const deck = h("div", { class: "deck", "aria-hidden": "true" }, [1, 2, 3, 4].map(() => back()));
  felt.center.append(pots, board, news);
  felt.element.append(deck);
  for (const pod of felt.pods.values()) {
    pod.called = h("span", { class: "called" });
    pod.element.append(pod.called);
    pod.held = "";
  }
  const slots = Array.from({ length: 5 }, () => h("div", { class: "slot" }));
  board.append(...slots);
  let before = null;
  let ask = null;
  let last = null;
  let bet = null;
  let bar = null;
  let shuffles = false;

  // --- What lies on the table ---

  function update(view, { moving = true } = {}) {
    const page = view.page;
    felt.update(view, { stacks: !page.seats });
    if (!page.seats) {
      for (const pod of felt.pods.values()) clearPod(pod);
      showBoard([], false);
      fill(pots).dataset.key = "";
      say(news, "");
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
      showSeat(pod, one, page, view, same && moving);
    }
    // How a hand has ended stays to be read until the next one is shuffled.
    if (page.stage !== "over" && !felt.element.classList.contains("shuffling")) say(news, "");
    showWinners(page);
    before = page;
  }

  function clearPod(pod) {
    fill(pod.cards);
    fill(pod.bet).dataset.bet = 0;
    fill(pod.badge).dataset.shown = "";
    say(pod.called, "");
    pod.held = "";
    flag(pod.element, "folded", false);
    flag(pod.element, "wins", false);
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
    const label = (at) => (several ? (at === 0 ? H.main : H.side(page.pots.length > 2 ? at : 0)) : H.pot);
    const shown = several ? page.pots : [page.pot];
    fill(pots, shown.map((amount, at) => h("span", {}, h("span", { class: "label" }, label(at)), chips(amount))));
  }

  function showSeat(pod, one, page, view, moving) {
    const old = before?.seats?.find((other) => other.seat === one.seat);
    say(pod.stack, one.stack.toLocaleString("en"));
    flag(pod.element, "folded", !one.in && page.stage !== "over");
    const allIn = one.in && one.stack === 0 && page.stage !== "over";
    if (allIn && !pod.status.textContent) say(pod.status, T.seat.allIn);
    if (!one.in && page.stage !== "over" && !pod.status.textContent) say(pod.status, T.seat.folded);
    badges(pod, one.seat, page);
    cards(pod, one, page, view, moving);
    const had = old?.bet ?? 0;
    if (one.bet !== Number(pod.bet.dataset.bet ?? 0)) {
      pod.bet.dataset.bet = one.bet;
      if (one.bet) {
        const made = chips(one.bet);
        made.setAttribute("aria-label", H.bets(names(one.seat), one.bet));
        made.setAttribute("role", "img");
        fill(pod.bet, made);
        if (moving && one.bet > had) from(made, pod.element, { duration: 260 });
      } else {
        fill(pod.bet);
      }
    }
    const mine = one.seat === agreed.you;
    say(pod.called, mine ? (page.called ?? "") : (one.called ?? ""));
  }

  function badges(pod, seat, page) {
    const shown = [seat === page.button ? "D" : "", page.blinds?.small === seat ? H.blind.small : "", page.blinds?.big === seat ? H.blind.big : ""].filter(Boolean);
    if (pod.badge.dataset.shown === shown.join()) return;
    pod.badge.dataset.shown = shown.join();
    fill(pod.badge, shown.map((text) => h("span", { class: `badge${text === "D" ? " button-d" : ""}`, title: text === "D" ? T.seat.button : null }, text)));
  }

  function cards(pod, one, page, view, moving) {
    const mine = one.seat === agreed.you;
    const open = one.shown.length ? one.shown : mine ? page.mine : [];
    const hidden = open.length ? 0 : one.held && one.in ? one.held : 0;
    const key = `${open.join(" ")}/${hidden}`;
    if (pod.held === key) return;
    const was = pod.held;
    pod.held = key;
    flag(pod.cards, "shown", open.length && !mine);
    fill(pod.cards, open.length ? open.map((face) => card(face)) : Array.from({ length: hidden }, () => back()));
    if (!moving || !pod.cards.childElementCount) return;
    const dealt = !was || was === "/0";
    [...pod.cards.children].forEach((element, at) => {
      if (dealt) from(element, deck, { delay: at * 110, turn: 160 });
      else if (open.length) flip(element, { delay: at * 90 });
    });
  }

  function showWinners(page) {
    const won = new Set((page.result?.pots ?? []).flatMap((pot) => pot.winners.map((winner) => winner.seat)));
    for (const [seat, pod] of felt.pods) flag(pod.element, "wins", won.has(seat));
  }

  // --- The bet ---

  function showAsk(asked) {
    ask = asked;
    if (!ask || ask.for !== "move" || !before) {
      bar = bet = null;
      fill(actions, agreed.you === null ? h("p", { class: "resting" }, T.watching) : h("p", { class: "resting" }, H.waiting));
      return;
    }
    const legal = before.legal;
    const mine = before.seats.find((one) => one.seat === agreed.you);
    if (legal.show) {
      bar = bet = null;
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
    bar = h("div", { class: "betting" });
    if (legal.raise_from === null) {
      bet = null;
      bar.append(h("div", { class: "moves" }, fold, calls));
    } else {
      bar.append(sizes(legal, mine, call), h("div", { class: "moves" }, fold, calls, bet.button));
    }
    fill(actions, bar);
    appear(bar, { duration: 160 });
  }

  /** A bet is to an amount: what lies in front afterwards. Steps are the big blind; all in is always there. */
  function sizes(legal, mine, call) {
    const { raise_from: least, raise_to: most } = legal;
    const step = before.blinds?.amount || 1;
    const fresh = before.seats.every((one) => one.bet === 0);
    const inAll = mine.bet + call;
    const pot = before.pot + call;
    const to = (share) => clamp(Math.round((inAll + pot * share) / step) * step);
    const clamp = (amount) => Math.max(least, Math.min(most, Math.round(amount) || least));
    const range = h("input", { type: "range", min: least, max: most, step: 1, value: least, "aria-label": H.amount, disabled: least === most });
    const number = h("input", { type: "number", min: least, max: most, value: least, "aria-label": H.amount, inputmode: "numeric", disabled: least === most });
    const go = button("", () => move({ type: "raise", to: bet.amount }), { key: "R", kind: "primary" });
    const set = (amount, typing = false) => {
      bet.amount = clamp(amount);
      range.value = bet.amount;
      if (!typing) number.value = bet.amount;
      say(go.firstChild, bet.amount === most ? H.allIn(most) : fresh ? H.bet(bet.amount) : H.raise(bet.amount));
    };
    bet = { amount: least, button: go, set, step, most };
    // The slider moves in steps, and reaches both ends.
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
    return h("div", { class: "sizes" }, size(H.min, least), size(H.half, to(0.5)), size(H.most, to(0.75)), size(H.whole, to(1)), size(H.max, most), range, number);
  }

  function move(made, sure = false) {
    if (!ask) return;
    last = made;
    for (const one of actions.querySelectorAll("button")) one.disabled = true;
    tell({ type: "move", ask: ask.ask, move: made, sure });
  }

  const press = (selector) => actions.querySelector(selector)?.click();

  return {
    keys: H.shortcuts,
    update,
    ask: showAsk,
    working(document) {
      const shuffling = document.steps.find(([, kind]) => /shuffle|mask|lock|deck/.test(kind));
      flag(deck, "on", Boolean(shuffling) && !motion.off);
      flag(felt.element, "shuffling", Boolean(shuffling));
      if (shuffling) {
        say(news, shuffling[0] === agreed.you ? T.working.youShuffle : T.working.shuffles(names(shuffling[0])));
        for (const pod of felt.pods.values()) flag(pod.element, "wins", false);
        shuffles = true;
      } else if (shuffles) {
        shuffles = false;
        say(news, "");
      }
    },
    line(line) {
      if (line.event === "result" && line.data.outcome.length) say(news, line.data.outcome.join(" · "));
      if (line.event === "move" && line.seat !== null) {
        const pod = felt.pod(line.seat);
        if (pod && line.lines.length) {
          const bubble = h("span", { class: "status bubble" }, line.lines[0].map(([text]) => text).join(""));
          say(pod.status, bubble.textContent);
        }
      }
    },
    chat(chat) {
      const pod = felt.pod(chat.seat);
      if (pod) say(pod.status, chat.text.slice(0, 40));
    },
    sure() {
      if (last) move(last, true);
    },
    refused() {
      showAsk(ask);
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
