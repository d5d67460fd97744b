// The wardens table: two sides of a field, hands, decks, discards. You choose a card, then its target.
import { T, button, cardBack, fill, flip, flyFrom, h, plainText, play, s, setText } from "/static/js/kit.js";

const W = T.wardens;

const ART = {
  ember: "M50 8c10 14 4 20 12 28 6-4 7-9 6-14 10 10 14 20 12 30-2 14-14 22-30 22S22 66 20 52c-2-14 8-22 16-30 2 6 1 10 4 14 6-8 4-18 10-28Z",
  tide: "M8 56c12-14 22-14 32 0s20 14 32 0c8-9 14-12 22-8v26H8ZM8 36c12-12 22-12 32 0s20 12 32 0c8-8 14-10 22-7v8c-10-4-16 2-22 8-12 12-22 12-32 0s-20-10-32 2Z",
  root: "M46 76V52C30 52 20 42 20 26c16 0 26 8 28 20 0-20 10-34 30-36 0 22-10 34-26 38v28Z",
  veil: "M62 12a32 32 0 1 0 20 46A28 28 0 0 1 62 12Z",
};

export default function createTable({ root, actions, table, say: send, names }) {
  const arena = h("div", { class: "arena" });
  root.replaceChildren(arena);
  const sides = { theirs: createSide(), mine: createSide() };
  const message = h("span", {});
  const mid = h("div", { class: "mid" }, message);
  const hand = h("div", { class: "row-of hand", role: "group", "aria-label": W.yourHand });
  const backs = h("div", { class: "row-of backs" });
  arena.append(sides.theirs.strip, sides.theirs.field, mid, sides.mine.field, sides.mine.strip);
  sides.theirs.strip.after(backs);
  sides.mine.strip.after(hand);
  arena.style.gridTemplateRows = "auto auto 1fr auto 1fr auto auto";
  let page = null;
  let ask = null;
  let chosen = null;
  let lastMove = null;
  // Places of the cards that are already drawn in the hand.
  const known = new Set();

  /** Create the elements of one player's side. */
  function createSide() {
    const parts = {
      name: h("span", { class: "name" }),
      mark: h("span", { class: "turn-mark", hidden: true }, W.turn),
      light: h("span", { class: "light" }),
      sparks: h("span", { class: "sparks", role: "img" }),
      deck: h("span", { class: "pile" }),
      discards: h("button", { type: "button", class: "pile" }),
      field: h("div", { class: "row-of units", role: "group" }),
    };
    const strip = h("div", { class: "strip" }, parts.name, parts.light, parts.sparks, parts.mark, h("span", { class: "piles" }, parts.deck, parts.discards));
    parts.discards.addEventListener("click", () => showDiscards(parts.list ?? []));
    return { ...parts, strip };
  }

  function showDiscards(cards) {
    const dialog = document.getElementById("dialog");
    fill(dialog, h("h2", {}, W.discards(cards.length)), h("div", { class: "game-wardens" }, h("div", { class: "row-of" }, cards.length ? cards.map((one) => createUnit(one, { tag: "div" })) : W.noCards)), h("div", { class: "row end" }, button(T.close, () => dialog.close())));
    dialog.showModal();
  }

  function createUnit(one, { tag = "button", onclick = null, classes = "", label = "", field = false } = {}) {
    const element = h(
      tag,
      { type: tag === "button" ? "button" : null, class: `unit ${one.court}${one.guard ? " guard" : ""} ${classes}`, onclick, "aria-label": label || null, data: { place: one.place, card: one.card } },
      field ? null : h("span", { class: "cost", title: W.cost }, one.cost),
      h("b", {}, one.name),
      s("svg", { class: "art", viewBox: "0 0 100 84", preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" }, s("path", { d: ART[one.court] ?? ART.veil })),
      h("small", {}, one.text),
      h("span", { class: "stats" }, one.warden ? [h("span", { class: "p" }, `⚔ ${one.power}`), h("span", { class: "h" }, `♥ ${one.health}`)] : h("span", {}, W.rite)),
    );
    if (tag === "button" && !onclick) element.disabled = true;
    return element;
  }

  const labelOf = (one) => `${one.name}, ${one.warden ? `${one.power}/${one.health}` : W.rite}${one.text ? `: ${one.text}` : ""}`;

  // --- The table ---

  function update(view) {
    page = view.page;
    if (!page.sides) {
      setText(message, T.working.begins);
      return;
    }
    draw();
    const active = names(page.active);
    const winner = page.result?.winner ?? null;
    setText(message, page.result ? W.over(winner === null ? null : names(winner)) : W.turnOf(page.turn, active));
  }

  function draw() {
    const at = Math.max(0, page.sides.findIndex((one) => one.seat === table.you));
    drawSide(sides.mine, page.sides[at], true);
    drawSide(sides.theirs, page.sides[1 - at], false);
    const rival = page.sides[1 - at];
    if (backs.childElementCount !== rival.hand) fill(backs, Array.from({ length: rival.hand }, () => cardBack()));
    backs.setAttribute("role", "img");
    backs.setAttribute("aria-label", W.hand(rival.hand));
    const mine = page.sides[at];
    const own = table.you === null ? [] : page.mine;
    fill(
      hand,
      table.you === null ? Array.from({ length: mine.hand }, () => cardBack()) : own.map((one) => {
        const can = ask && one.cost <= mine.sparks;
        const is = chosen?.kind === "hand" && chosen.one.place === one.place;
        const element = createUnit(one, { onclick: ask ? () => choose("hand", one) : null, classes: `${can ? "can" : ""} ${is ? "chosen" : ""}`, label: `${labelOf(one)}, ${one.cost}` });
        if (!known.has(one.place)) {
          known.add(one.place);
          queueMicrotask(() => flyFrom(element, sides.mine.deck, { turn: 20 }));
        }
        return element;
      }),
    );
  }

  function drawSide(side, one, mine) {
    side.list = one.discards;
    setText(side.name, names(one.seat));
    const light = Math.max(0, one.light);
    setText(side.light, `☀ ${light}`);
    side.light.setAttribute("aria-label", W.light(light));
    side.light.setAttribute("role", "img");
    if (side.shownLight !== undefined && one.light < side.shownLight) play(side.light, [{ transform: "scale(1.6)" }, { transform: "none" }], { duration: 400 });
    side.shownLight = one.light;
    side.mark.hidden = page.active !== one.seat || Boolean(page.result);
    fill(side.sparks, Array.from({ length: Math.max(one.fire, one.sparks) }, (_, spark) => h("i", { class: spark < one.sparks ? "spark lit" : "spark" })));
    side.sparks.setAttribute("aria-label", W.sparks(one.sparks, one.fire));
    fill(side.deck, cardBack(), W.deck(one.pile));
    fill(side.discards, W.discards(one.discards.length), one.buried ? ` · ${W.buried(one.buried)}` : "");
    side.field.setAttribute("aria-label", W.field(names(one.seat)));
    const had = new Set([...side.field.querySelectorAll(".unit")].map((element) => element.dataset.place));
    const aimable = targetKinds();
    fill(
      side.field,
      one.wardens.map((warden) => {
        const can = mine && ask && !chosen && warden.ready;
        const target = !mine && (aimable.includes("warden") || (aimable.includes("guard") && warden.guard));
        const is = mine && chosen?.kind === "field" && chosen.one.place === warden.place;
        const press = target ? () => aimAt(warden.place) : mine && ask ? () => choose("field", warden) : null;
        const element = createUnit(warden, { onclick: press, field: true, classes: `${can ? "can" : ""} ${target ? "target" : ""} ${is ? "chosen" : ""} ${mine && !warden.ready ? "tired" : ""}`, label: labelOf(warden) });
        if (!had.has(String(warden.place))) queueMicrotask(() => flip(element));
        return element;
      }),
      !mine && aimable.includes("rival") ? h("button", { type: "button", class: "face-target", onclick: () => aimAt(null) }, W.rival) : null,
    );
  }

  // --- Moves ---

  /** Return what the chosen card or warden can be aimed at: "warden", "guard", "rival". */
  function targetKinds() {
    if (!ask || !chosen) return [];
    // A rival who has a guard can only be attacked there.
    if (chosen.kind === "field") return rival().wardens.some((one) => one.guard) ? ["guard"] : ["warden", "rival"];
    const target = chosen.one.target;
    return target === "any" ? ["warden", "rival"] : target === "warden" ? ["warden"] : [];
  }

  const rival = () => page.sides.find((one) => one.seat !== table.you);

  /** Choose a card of the hand or a warden on the field; choosing it again cancels. */
  function choose(kind, one) {
    if (kind === "field" && !one.ready) return;
    chosen = chosen?.one.place === one.place && chosen.kind === kind ? null : { kind, one };
    draw();
    showBar();
    const again = (kind === "hand" ? hand : sides.mine.field).querySelector(`[data-place="${one.place}"]`);
    again?.focus();
  }

  /** Play the chosen card, or attack with the chosen warden; `place` is the target, or null for the rival or none. */
  function aimAt(place) {
    const target = place === null ? {} : { target: place };
    if (chosen.kind === "field") move({ type: "attack", place: chosen.one.place, ...target });
    else move({ type: "play", place: chosen.one.place, card: chosen.one.card, ...target });
  }

  /** Send a move. `sure`: also if it is likely to be regretted. */
  function move(made, sure = false) {
    if (!ask) return;
    lastMove = made;
    chosen = null;
    // A question is answered once. The next question, or a refusal, draws everything again.
    for (const one of [...actions.querySelectorAll("button"), ...arena.querySelectorAll(".unit, .face-target")]) one.disabled = true;
    send({ type: "move", ask: ask.ask, move: made, sure });
  }

  /** Show what you can do now, and the buttons for it. */
  function showBar() {
    if (!ask || ask.for !== "move") {
      fill(actions, h("div", { class: "warden-bar" }, h("p", {}, table.you === null ? T.watching : W.waiting)));
      return;
    }
    const mine = page.sides.find((one) => one.seat === table.you);
    const text = !chosen ? W.pick : chosen.kind === "field" ? W.attackWith(chosen.one.name) : chosen.one.target ? W.chooseTarget(chosen.one.name) : W.chosen(chosen.one.name);
    const own = chosen?.kind === "hand";
    fill(
      actions,
      h(
        "div",
        { class: "warden-bar" },
        h("p", { role: "status" }, text),
        own && !chosen.one.target ? button(W.play, () => aimAt(null), { key: "P", kind: "primary", disabled: chosen.one.cost > mine.sparks }) : null,
        own && mine.may_bury ? button(W.bury, () => move({ type: "bury", place: chosen.one.place }), { key: "B" }) : null,
        chosen ? button(T.cancel, () => choose(chosen.kind, chosen.one), { kind: "quiet" }) : null,
        button(W.end, () => move({ type: "end turn" }), { key: "E", kind: chosen ? "" : "primary" }),
        button(W.concede, confirmConcede, { kind: "quiet" }),
      ),
    );
  }

  function confirmConcede() {
    const dialog = document.getElementById("dialog");
    fill(dialog, h("h2", {}, W.concedeConfirm), h("div", { class: "row end" }, button(T.cancel, () => dialog.close(), { kind: "quiet" }), button(T.yes, () => {
      dialog.close();
      move({ type: "concede" });
    }, { kind: "danger" })));
    dialog.showModal();
  }

  return {
    keys: W.shortcuts,
    update,
    ask(asked) {
      ask = asked && asked.for === "move" ? asked : null;
      chosen = null;
      if (page?.sides) draw();
      showBar();
    },
    line(line) {
      if (["move", "looked", "shows", "board"].includes(line.event) && line.lines.length) setText(message, `${names(line.seat)} ${line.event === "shows" ? `${T.log.shows} ` : ""}${plainText(line.lines[0])}`);
    },
    working({ steps }) {
      const busy = steps.find(([, kind]) => /shuffle|mask|deck|bits|list/.test(kind));
      if (busy && !page?.sides) setText(message, T.working.shuffles(names(busy[0])));
    },
    sure() {
      if (lastMove) move(lastMove, true);
    },
    refused() {
      if (page?.sides) draw();
      showBar();
    },
    key(event) {
      const pressed = { p: "P", b: "B", e: "E" }[event.key.toLowerCase()];
      if (!ask || !pressed) return;
      actions.querySelector(`[aria-keyshortcuts=${pressed}]`)?.click();
      event.preventDefault();
    },
    destroy() {},
  };
}
