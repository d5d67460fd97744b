// Wardens: two sides of a field, hands, decks, discards. A card is chosen, then its target.
import { T, back, button, fill, flip, from, h, play, plainText, s, say } from "/static/js/kit.js";

const W = T.wardens;

const ART = {
  ember: "M50 8c10 14 4 20 12 28 6-4 7-9 6-14 10 10 14 20 12 30-2 14-14 22-30 22S22 66 20 52c-2-14 8-22 16-30 2 6 1 10 4 14 6-8 4-18 10-28Z",
  tide: "M8 56c12-14 22-14 32 0s20 14 32 0c8-9 14-12 22-8v26H8ZM8 36c12-12 22-12 32 0s20 12 32 0c8-8 14-10 22-7v8c-10-4-16 2-22 8-12 12-22 12-32 0s-20-10-32 2Z",
  root: "M46 76V52C30 52 20 42 20 26c16 0 26 8 28 20 0-20 10-34 30-36 0 22-10 34-26 38v28Z",
  veil: "M62 12a32 32 0 1 0 20 46A28 28 0 0 1 62 12Z",
};

export default function table({ root, actions, table: agreed, say: tell, names }) {
  const arena = h("div", { class: "arena" });
  root.replaceChildren(arena);
  const rows = { theirs: side(), mine: side() };
  const mid = h("div", { class: "mid" }, h("span", {}));
  const hand = h("div", { class: "row-of hand", role: "group", "aria-label": W.yourHand });
  const backs = h("div", { class: "row-of backs" });
  arena.append(rows.theirs.strip, rows.theirs.field, mid, rows.mine.field, rows.mine.strip);
  rows.theirs.strip.after(backs);
  rows.mine.strip.after(hand);
  arena.style.gridTemplateRows = "auto auto 1fr auto 1fr auto auto";
  let page = null;
  let ask = null;
  let chosen = null;
  let last = null;
  const known = new Set();

  function side() {
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
    parts.discards.addEventListener("click", () => look(parts.list ?? []));
    return { ...parts, strip };
  }

  function look(cards) {
    const dialog = document.getElementById("dialog");
    fill(dialog, h("h2", {}, W.discards(cards.length)), h("div", { class: "game-wardens" }, h("div", { class: "row-of" }, cards.length ? cards.map((one) => unit(one, { tag: "div" })) : W.noCards)), h("div", { class: "row end" }, button(T.close, () => dialog.close())));
    dialog.showModal();
  }

  function unit(one, { tag = "button", onclick = null, classes = "", label = "", field = false } = {}) {
    const element = h(
      tag,
      { type: tag === "button" ? "button" : null, class: `unit ${one.court}${one.guard ? " guard" : ""} ${classes}`, onclick, "aria-label": label || null, data: { place: one.place, card: one.card } },
      field ? null : h("span", { class: "cost", title: T.plain.table }, one.cost),
      h("b", {}, one.name),
      s("svg", { class: "art", viewBox: "0 0 100 84", preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" }, s("path", { d: ART[one.court] ?? ART.veil })),
      h("small", {}, one.text),
      h("span", { class: "stats" }, one.warden ? [h("span", { class: "p" }, `⚔ ${one.power}`), h("span", { class: "h" }, `♥ ${one.health}`)] : h("span", {}, W.rite)),
    );
    if (tag === "button" && !onclick) element.disabled = true;
    return element;
  }

  const spoken = (one) => `${one.name}, ${one.warden ? `${one.power}/${one.health}` : W.rite}${one.text ? `: ${one.text}` : ""}`;

  // --- What lies there ---

  function update(view) {
    page = view.page;
    if (!page.sides) {
      say(mid.firstChild, T.working.begins);
      return;
    }
    draw();
    const active = names(page.active);
    const winner = page.result ? (page.result.winner === null ? W.over(null) : W.over(names(page.result.winner))) : null;
    say(mid.firstChild, winner ?? W.turnOf(page.turn, active));
  }

  function draw() {
    const at = Math.max(0, page.sides.findIndex((one) => one.seat === agreed.you));
    drawSide(rows.mine, page.sides[at], true);
    drawSide(rows.theirs, page.sides[1 - at], false);
    const rival = page.sides[1 - at];
    if (backs.childElementCount !== rival.hand) fill(backs, Array.from({ length: rival.hand }, () => back()));
    backs.setAttribute("role", "img");
    backs.setAttribute("aria-label", W.hand(rival.hand));
    const mine = page.sides[at];
    const own = agreed.you === null ? [] : page.mine;
    fill(
      hand,
      agreed.you === null ? Array.from({ length: mine.hand }, () => back()) : own.map((one) => {
        const can = ask && one.cost <= mine.sparks;
        const is = chosen?.kind === "hand" && chosen.one.place === one.place;
        const element = unit(one, { onclick: ask ? () => pick("hand", one) : null, classes: `${can ? "can" : ""} ${is ? "chosen" : ""}`, label: `${spoken(one)}, ${one.cost}` });
        if (!known.has(one.place)) {
          known.add(one.place);
          queueMicrotask(() => from(element, rows.mine.deck, { turn: 20 }));
        }
        return element;
      }),
    );
  }

  function drawSide(row, one, mine) {
    row.list = one.discards;
    say(row.name, names(one.seat));
    const light = Math.max(0, one.light);
    say(row.light, `☀ ${light}`);
    row.light.setAttribute("aria-label", W.light(light));
    row.light.setAttribute("role", "img");
    if (row.shownLight !== undefined && one.light < row.shownLight) play(row.light, [{ transform: "scale(1.6)" }, { transform: "none" }], { duration: 400 });
    row.shownLight = one.light;
    row.mark.hidden = page.active !== one.seat || Boolean(page.result);
    fill(row.sparks, Array.from({ length: Math.max(one.fire, one.sparks) }, (_, spark) => h("i", { class: spark < one.sparks ? "spark lit" : "spark" })));
    row.sparks.setAttribute("aria-label", W.sparks(one.sparks, one.fire));
    fill(row.deck, back(), W.deck(one.pile));
    fill(row.discards, W.discards(one.discards.length), one.buried ? ` · ${W.buried(one.buried)}` : "");
    row.field.setAttribute("aria-label", W.field(names(one.seat)));
    const had = new Set([...row.field.querySelectorAll(".unit")].map((element) => element.dataset.place));
    const wants = targets();
    fill(
      row.field,
      one.wardens.map((warden) => {
        const can = mine && ask && !chosen && warden.ready;
        const target = !mine && (wants.includes("warden") || (wants.includes("guard") && warden.guard));
        const is = mine && chosen?.kind === "field" && chosen.one.place === warden.place;
        const press = target ? () => aim(warden.place) : mine && ask ? () => pick("field", warden) : null;
        const element = unit(warden, { onclick: press, field: true, classes: `${can ? "can" : ""} ${target ? "target" : ""} ${is ? "chosen" : ""} ${mine && !warden.ready ? "tired" : ""}`, label: spoken(warden) });
        if (!had.has(String(warden.place))) queueMicrotask(() => flip(element));
        return element;
      }),
      !mine && wants.includes("rival") ? h("button", { type: "button", class: "face-target", onclick: () => aim(null) }, W.rival) : null,
    );
  }

  // --- A move ---

  function targets() {
    if (!ask || !chosen) return [];
    // Who has a guard is attacked there first.
    if (chosen.kind === "field") return rival().wardens.some((one) => one.guard) ? ["guard"] : ["warden", "rival"];
    const target = chosen.one.target;
    return target === "any" ? ["warden", "rival"] : target === "warden" ? ["warden"] : [];
  }

  const rival = () => page.sides.find((one) => one.seat !== agreed.you);

  function pick(kind, one) {
    if (kind === "field" && !one.ready) return;
    chosen = chosen?.one.place === one.place && chosen.kind === kind ? null : { kind, one };
    draw();
    bar();
    const again = (kind === "hand" ? hand : rows.mine.field).querySelector(`[data-place="${one.place}"]`);
    again?.focus();
  }

  function aim(place) {
    const target = place === null ? {} : { target: place };
    if (chosen.kind === "field") move({ type: "attack", place: chosen.one.place, ...target });
    else move({ type: "play", place: chosen.one.place, card: chosen.one.card, ...target });
  }

  function move(made, sure = false) {
    if (!ask) return;
    last = made;
    chosen = null;
    // Nobody answers twice: what is asked next, or a refusal, draws all of it again.
    for (const one of [...actions.querySelectorAll("button"), ...arena.querySelectorAll(".unit, .face-target")]) one.disabled = true;
    tell({ type: "move", ask: ask.ask, move: made, sure });
  }

  function bar() {
    if (!ask || ask.for !== "move") {
      fill(actions, h("div", { class: "warden-bar" }, h("p", {}, agreed.you === null ? T.watching : W.waiting)));
      return;
    }
    const mine = page.sides.find((one) => one.seat === agreed.you);
    const text = !chosen ? W.pick : chosen.kind === "field" ? W.attackWith(chosen.one.name) : chosen.one.target ? W.targetOf(chosen.one.name) : W.chosen(chosen.one.name);
    const own = chosen?.kind === "hand";
    fill(
      actions,
      h(
        "div",
        { class: "warden-bar" },
        h("p", { role: "status" }, text),
        own && !chosen.one.target ? button(W.play, () => aim(null), { key: "P", kind: "primary", disabled: chosen.one.cost > mine.sparks }) : null,
        own && mine.may_bury ? button(W.bury, () => move({ type: "bury", place: chosen.one.place }), { key: "B" }) : null,
        chosen ? button(T.cancel, () => pick(chosen.kind, chosen.one), { kind: "quiet" }) : null,
        button(W.end, () => move({ type: "end turn" }), { key: "E", kind: chosen ? "" : "primary" }),
        button(W.concede, () => concede(), { kind: "quiet" }),
      ),
    );
  }

  function concede() {
    const dialog = document.getElementById("dialog");
    fill(dialog, h("h2", {}, W.concedeSure), h("div", { class: "row end" }, button(T.cancel, () => dialog.close(), { kind: "quiet" }), button(T.yes, () => {
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
      bar();
    },
    line(line) {
      if (["move", "looked", "shows", "board"].includes(line.event) && line.lines.length) say(mid.firstChild, `${names(line.seat)} ${line.event === "shows" ? `${T.log.shows} ` : ""}${plainText(line.lines[0])}`);
    },
    working(document) {
      const busy = document.steps.find(([, kind]) => /shuffle|mask|deck|bits|list/.test(kind));
      if (busy && !page?.sides) say(mid.firstChild, T.working.shuffles(names(busy[0])));
    },
    sure() {
      if (last) move(last, true);
    },
    refused() {
      if (page?.sides) draw();
      bar();
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
