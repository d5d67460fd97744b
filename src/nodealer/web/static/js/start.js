// The screens before the first hand: the form that starts a table with bots, and the lobby while other players join.
import { T, appear, button, card, cardBack, fill, h, initial, linkRow, s, setText, tintClass } from "./kit.js";

/** Show the form that starts a table with bots. Call `refused` of the result if the seat refuses what was chosen. */
export function showStart(root, actions, offers, link, again) {
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

  /** Show the settings of the chosen game. */
  function showGame() {
    const one = chosen();
    if (one.name !== offers.game) {
      seats.value = one.seats;
      hands.value = one.hands;
    }
    fill(settings, one.settings.map(([key, help, value]) => field(key, h("input", { type: "text", name: key, value, maxlength: 60 }), help)));
  }
  game.addEventListener("change", showGame);
  showGame();

  const form = h(
    "form",
    { class: "start" },
    h("div", { class: "fan", "aria-hidden": "true" }, ["As", "Kh", "Qd"].map((face) => card(face)), cardBack()),
    h("h2", {}, T.start.title),
    h("p", { class: "lead" }, T.start.lead),
    h("div", { class: "fields" }, field(T.start.name, name), field(T.start.game, game), field(T.start.seats, seats), field(T.start.hands, hands)),
    h("details", {}, h("summary", {}, T.start.more), settings, field(T.start.cheat, cheats, T.start.cheatHelp)),
    problem,
    go,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...settings.querySelectorAll("input")].map((one) => [one.name, one.value]));
    setText(problem, "");
    go.disabled = true;
    setText(go, T.start.preparing);
    const count = Number(seats.value);
    link.send({
      type: "deal",
      game: game.value,
      name: name.value.trim() || offers.name,
      seats: count,
      hands: Number(hands.value),
      settings: values,
      cheat: cheats.value ? `${count > 2 ? 2 : 1}:${cheats.value}` : null,
    });
  });
  root.replaceChildren(h("div", { class: "sheet" }, form));
  fill(actions);
  appear(form);
  return {
    refused(reason) {
      go.disabled = false;
      setText(go, again ? T.start.again : T.start.go);
      setText(problem, reason);
    },
  };
}

/** Show the lobby: who is here, what is proposed, and what you are asked. */
export function showLobby(root, actions, lobby, link) {
  // People who are here but not in the proposal have no seat in it.
  const seated = lobby.proposal ? lobby.people.filter((one) => one.state !== "here") : lobby.people;
  const people = h(
    "ul",
    { class: "people" },
    lobby.people.map((one, at) =>
      h(
        "li",
        { class: one.warn ? "warn" : "" },
        h("span", { class: `avatar ${tintClass(at)}`, "aria-hidden": "true" }, initial(one.name)),
        h("span", { class: "who" }, h("b", {}, one.name, one.you ? ` (${T.lobby.you})` : ""), h("small", {}, describeKey(one))),
        h("span", { class: `state ${one.state}` }, T.lobby.state[one.state]),
      ),
    ),
    Array.from({ length: Math.max(0, lobby.seats - seated.length) }, () => h("li", { class: "free" }, h("span", { class: "avatar", "aria-hidden": "true" }), h("span", { class: "who" }, T.lobby.free))),
  );
  const sheet = h(
    "div",
    { class: "lobby" },
    h("h2", {}, lobby.link ? T.lobby.title : T.lobby.waiting),
    h("p", { class: "lead" }, T.lobby.seats(seated.length, lobby.seats)),
    lobby.proposal ? renderProposal(lobby.proposal) : null,
    h("div", { class: "columns" }, people, lobby.link ? renderInvitation(lobby) : null),
  );
  root.replaceChildren(h("div", { class: "sheet" }, sheet));
  const { question } = lobby;
  if (!question) return fill(actions);
  const buttons = question.answers.map((answer, at) => button(T.lobby.answer[answer], () => link.send({ type: "answer", ask: question.ask, text: answer }), { kind: at ? "" : "primary" }));
  fill(actions, h("div", { class: "question", data: { code: question.code } }, h("p", {}, T.lobby.question[question.code](question.name)), h("div", { class: "row" }, buttons)));
  delayAnswer(question.ask, buttons);
}

// A question that replaces another one can only be answered after a moment: a click that was meant for the previous
// question must not say yes to this one.
const ANSWER_DELAY = 800;
const newest = { ask: null, openFrom: 0 };
function delayAnswer(ask, buttons) {
  if (ask !== newest.ask) Object.assign(newest, { openFrom: newest.ask === null ? 0 : performance.now() + ANSWER_DELAY, ask });
  const wait = newest.openFrom - performance.now();
  if (wait <= 0) return;
  for (const one of buttons) one.disabled = true;
  setTimeout(() => {
    for (const one of buttons) one.disabled = false;
  }, wait);
}

/** Return what you know about a person's key, with its words if they should be compared. */
function describeKey(one) {
  if (one.you) return one.key ? T.lobby.yourKeyWords(one.key) : "";
  const known = T.lobby.known[one.known] ?? "";
  if (!one.key || (!one.warn && one.known !== "new")) return known;
  return (one.warn ? T.lobby.compareKeyWords : T.lobby.keyWords)(known, one.key);
}

/** Return everything you would agree to, with the time limits. */
function renderProposal(one) {
  return h(
    "div",
    { class: "proposal" },
    h("p", {}, h("b", {}, T.lobby.proposal(one))),
    h("p", { class: "clock" }, one.clock ? T.lobby.clock(one.clock) : T.lobby.noClock(one.players.length)),
    one.warning ? h("p", { class: "warning" }, one.warning) : null,
  );
}

function renderInvitation(lobby) {
  return h("div", { class: "invite" }, h("p", {}, T.lobby.link), linkRow(T.lobby.link, lobby.link), lobby.qr.length ? renderQr(lobby.qr) : null, lobby.watch ? h("details", {}, h("summary", {}, T.lobby.watch), linkRow(T.lobby.watch, lobby.watch)) : null);
}

function renderQr(rows) {
  const path = rows.flatMap((row, y) => [...row].map((cell, x) => (cell === "1" ? `M${x + 2} ${y + 2}h1v1h-1z` : ""))).join("");
  const size = rows.length + 4;
  return s("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": T.lobby.qr, "shape-rendering": "crispEdges" }, s("rect", { width: size, height: size, class: "light" }), s("path", { d: path, class: "dark" }));
}
