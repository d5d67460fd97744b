// Before a table: what to play, by how many, and whether a bot cheats. And the lobby, while others come.
import { T, appear, back, button, card, fill, h, initial, linkRow, s, say, tint } from "./kit.js";

export function startScreen(root, actions, offers, link, again) {
  const games = offers.games;
  const chosen = () => games.find((one) => one.name === game.value) ?? games[0];
  const field = (label, control, help) => control.setAttribute("aria-label", label) ?? h("label", { class: "field" }, h("span", {}, label), control, help ? h("small", {}, help) : null);
  const name = h("input", { type: "text", value: offers.name, maxlength: 32, autocomplete: "nickname" });
  const game = h("select", {}, games.map((one) => h("option", { value: one.name, selected: one.name === offers.game }, one.name)));
  const seats = h("input", { type: "number", min: 2, max: 9, value: offers.seats });
  const hands = h("input", { type: "number", min: 1, max: 10000, value: offers.hands });
  const settings = h("div", { class: "settings" });
  const cheats = h("select", {}, h("option", { value: "" }, T.start.cheatNone), offers.cheats.map((one) => h("option", { value: one.name, title: one.does }, `${one.name}: ${one.does}`)));
  const go = h("button", { class: "button primary big", type: "submit" }, again ? T.start.again : T.start.go);
  const problem = h("p", { class: "problem", role: "alert" });

  function change() {
    const one = chosen();
    if (one.name !== offers.game) {
      seats.value = one.seats;
      hands.value = one.hands;
    }
    fill(settings, one.settings.map(([key, help, value]) => field(key, h("input", { type: "text", name: key, value, maxlength: 60 }), help)));
  }
  game.addEventListener("change", change);
  change();

  const form = h(
    "form",
    { class: "start" },
    h("div", { class: "fan", "aria-hidden": "true" }, ["As", "Kh", "Qd"].map((face) => card(face)), back()),
    h("h2", {}, T.start.title),
    h("p", { class: "lead" }, T.start.lead),
    h("div", { class: "fields" }, field(T.start.name, name), field(T.start.game, game), field(T.start.seats, seats), field(T.start.hands, hands)),
    h("details", {}, h("summary", {}, T.start.more), settings, field(T.start.cheat, cheats, T.start.cheatHelp)),
    problem,
    go,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const set = Object.fromEntries([...settings.querySelectorAll("input")].map((one) => [one.name, one.value]));
    say(problem, "");
    go.disabled = true;
    say(go, T.start.preparing);
    const count = Number(seats.value);
    link.say({
      type: "deal",
      game: game.value,
      name: name.value.trim() || offers.name,
      seats: count,
      hands: Number(hands.value),
      settings: set,
      cheat: cheats.value ? `${count > 2 ? 2 : 1}:${cheats.value}` : null,
    });
  });
  root.replaceChildren(h("div", { class: "sheet" }, form));
  fill(actions);
  appear(form);
  return {
    refused(reason) {
      go.disabled = false;
      say(go, again ? T.start.again : T.start.go);
      say(problem, reason);
    },
  };
}

export function lobbyScreen(root, actions, lobby, link) {
  // Who is not in the proposal may still be here: it has no seat in it.
  const come = lobby.proposal ? lobby.people.filter((one) => one.state !== "here") : lobby.people;
  const people = h(
    "ul",
    { class: "people" },
    lobby.people.map((one, at) =>
      h(
        "li",
        { class: one.warn ? "warn" : "" },
        h("span", { class: `avatar ${tint(at)}`, "aria-hidden": "true" }, initial(one.name)),
        h("span", { class: "who" }, h("b", {}, one.name, one.you ? ` (${T.seat.you})` : ""), h("small", {}, knownOf(one))),
        h("span", { class: `state ${one.state}` }, T.lobby.state[one.state]),
      ),
    ),
    Array.from({ length: Math.max(0, lobby.seats - come.length) }, () => h("li", { class: "free" }, h("span", { class: "avatar", "aria-hidden": "true" }), h("span", { class: "who" }, T.lobby.free))),
  );
  const sheet = h(
    "div",
    { class: "lobby" },
    h("h2", {}, lobby.link ? T.lobby.title : T.lobby.waiting),
    h("p", { class: "lead" }, T.lobby.seats(come.length, lobby.seats)),
    lobby.proposal ? proposed(lobby.proposal) : null,
    h("div", { class: "two" }, people, lobby.link ? invitation(lobby) : null),
  );
  root.replaceChildren(h("div", { class: "sheet" }, sheet));
  const asked = lobby.question;
  if (!asked) return fill(actions);
  const buttons = asked.answers.map((answer, at) => button(T.lobby.answer[answer], () => link.say({ type: "answer", ask: asked.ask, text: answer }), { kind: at ? "" : "primary" }));
  fill(actions, h("div", { class: "question", data: { code: asked.code } }, h("p", {}, T.lobby.question[asked.code](asked.name)), h("div", { class: "row" }, buttons)));
  held(asked.ask, buttons);
}

// A question that comes in the place of another one is answered a moment later at the earliest: a hand that was on its
// way to the one before must not say yes to this one.
const HELD = 800;
const newest = { ask: null, from: 0 };
function held(ask, buttons) {
  if (ask !== newest.ask) Object.assign(newest, { from: newest.ask === null ? 0 : performance.now() + HELD, ask });
  const wait = newest.from - performance.now();
  if (wait <= 0) return;
  for (const one of buttons) one.disabled = true;
  setTimeout(() => {
    for (const one of buttons) one.disabled = false;
  }, wait);
}

/** What is known of somebody; with the words of its key, where they are to be compared. */
function knownOf(one) {
  if (one.you) return one.key ? T.lobby.yourKey(one.key) : "";
  const known = T.lobby.known[one.known] ?? "";
  if (!one.key || (!one.warn && one.known !== "new")) return known;
  return `${known}; ${(one.warn ? T.lobby.askKey : T.lobby.key)(one.key)}`;
}

/** All that one agrees to, with who keeps the time. */
function proposed(one) {
  return h(
    "div",
    { class: "proposal" },
    h("p", {}, h("b", {}, T.lobby.proposal(one))),
    h("p", { class: "clock" }, one.clock ? T.lobby.clock(one.clock) : T.lobby.noClock(one.players.length)),
    one.warning ? h("p", { class: "warning" }, one.warning) : null,
  );
}

function invitation(lobby) {
  return h("div", { class: "invite" }, h("p", {}, T.lobby.link), linkRow(T.lobby.link, lobby.link), lobby.qr.length ? qr(lobby.qr) : null, lobby.watch ? h("details", {}, h("summary", {}, T.lobby.watch), linkRow(T.lobby.watch, lobby.watch)) : null);
}

function qr(rows) {
  const path = rows.flatMap((row, y) => [...row].map((cell, x) => (cell === "1" ? `M${x + 2} ${y + 2}h1v1h-1z` : ""))).join("");
  const size = rows.length + 4;
  return s("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": T.lobby.qr, "shape-rendering": "crispEdges" }, s("rect", { width: size, height: size, class: "light" }), s("path", { d: path, class: "dark" }));
}
