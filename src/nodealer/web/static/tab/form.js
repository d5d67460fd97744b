// The forms of a tab: to host a table, and to join one with a pairing code.
import { T, button, fill, h, setText } from "/static/js/kit.js";

const W = T.tab;

/** Return what was typed last into a field, after storing `value` if there is one. None of it is secret. */
export function remember(key, value) {
  try {
    if (value) localStorage.setItem(`nodealer ${key}`, value);
    return localStorage.getItem(`nodealer ${key}`) ?? "";
  } catch {
    return value ?? "";
  }
}

/** Wrap a control in its label, with a line of help if there is one. */
export const field = (label, control, help, kind = "") => control.setAttribute("aria-label", label) ?? h("label", { class: `field ${kind}` }, h("span", {}, label), control, help ? h("small", {}, help) : null);
export const nameField = () => h("input", { type: "text", value: remember("name"), maxlength: 32, autocomplete: "nickname" });
const relayField = () => h("input", { type: "text", inputmode: "url", autocapitalize: "off", spellcheck: false, value: remember("relay"), placeholder: W.relayExample, maxlength: 200 });
const numberField = (min, max, value) => h("input", { type: "number", min, max, value });
const selectField = (options, chosen) => h("select", {}, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));

/** Create a form that calls `submit` when all `required` fields are filled. `refused` of the result shows a problem. */
function createForm(title, required, content, back, label, submit) {
  const problem = h("p", { class: "problem", role: "alert" });
  const submitButton = h("button", { class: "button primary big", type: "submit" }, label);
  const element = h("form", {}, h("h2", {}, title), content, problem, h("div", { class: "row end" }, button(W.back, back, { kind: "quiet" }), submitButton));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const empty = required.find((one) => !one.value.trim());
    if (empty) return empty.focus();
    setText(problem, "");
    submitButton.disabled = true;
    submit();
  });
  return {
    element,
    refused(reason) {
      submitButton.disabled = false;
      setText(problem, reason);
    },
  };
}

/** Create the form to host a table. Calls `host` with what was chosen. */
export function createHostForm({ games, first, move }, back, host) {
  const chosen = () => games.find((one) => one.game.name === game.value);
  const name = nameField();
  const relay = relayField();
  const game = selectField(games.map((one) => [one.game.name, one.game.name]), first);
  const seats = numberField(2, 9, 3);
  const hands = numberField(1, 10000, 10);
  const note = h("p", { class: "note" });
  const settings = h("div", { class: "fields settings" });
  const cards = h("select", {});
  const warning = h("p", { class: "warning" });
  const time = selectField([["", W.time.none], ["may", W.time.may], ["must", W.time.must]], "");
  const seconds = numberField(1, 86400, move);
  const limit = field(W.time.move, seconds);
  const help = h("p", { class: "note" });

  function showGame() {
    const one = chosen();
    seats.value = one.game.seats;
    hands.value = one.game.hands;
    setText(note, one.game.note);
    fill(settings, one.game.settings.map(([key, text, value]) => field(key, h("input", { type: "text", name: key, value, maxlength: 60 }), text)));
    fill(cards, h("option", { value: "" }, W.defaultProtocol(one.cards[0].protocol)), one.cards.slice(1).map((it, at) => h("option", { value: at + 1 }, W.protocolWith(it.protocol, JSON.parse(it.parameters)))));
    showWarning();
  }
  function showWarning() {
    setText(warning, chosen().cards[Number(cards.value)]?.warning ?? "");
  }
  function showTime() {
    limit.hidden = !time.value;
    setText(help, W.time.help[time.value]);
  }
  game.addEventListener("change", showGame);
  cards.addEventListener("change", showWarning);
  time.addEventListener("change", showTime);
  showGame();
  showTime();

  const content = [
    h("div", { class: "fields" }, field(W.name, name), field(W.game, game), field(W.relay, relay, W.relayHelp, "wide"), field(W.seats, seats), field(W.hands, hands)),
    note,
    h("details", {}, h("summary", {}, W.more), settings, h("div", { class: "fields" }, field(W.cards, cards, null, "wide")), warning, h("div", { class: "fields" }, field(W.time.label, time, null, "wide"), limit), help),
  ];
  return createForm(W.host, [name, relay], content, back, W.openTable, () => {
    const dealing = cards.value ? chosen().cards[Number(cards.value)] : null;
    host({
      name: remember("name", name.value.trim()),
      relay: remember("relay", relay.value.trim()),
      page: `${location.origin}${location.pathname === "/" ? "" : location.pathname}`,
      game: game.value,
      seats: Number(seats.value),
      hands: Number(hands.value),
      settings: Object.fromEntries([...settings.querySelectorAll("input")].map((one) => [one.name, one.value])),
      protocol: dealing?.protocol ?? null,
      parameters: dealing?.parameters ?? null,
      move: time.value ? Number(seconds.value) : null,
      awaits_keeper: time.value === "must",
    });
  });
}

/** Create the form to join with a pairing code. Calls `join` with code, name and relay. */
export function createCodeForm(back, join) {
  const name = nameField();
  const code = h("input", { type: "text", autocapitalize: "off", autocomplete: "off", spellcheck: false, placeholder: W.codeExample, maxlength: 60 });
  const relay = relayField();
  const content = [h("p", { class: "lead" }, W.codeLead), h("div", { class: "fields" }, field(W.code, code), field(W.name, name), field(W.relay, relay, W.codeRelayHelp, "wide"))];
  return createForm(W.haveCode, [code, name, relay], content, back, W.sit, () => join({ code: code.value.trim(), name: remember("name", name.value.trim()), relay: remember("relay", relay.value.trim()) }));
}
