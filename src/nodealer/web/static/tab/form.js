// The forms of a tab: to host a table, and to come by a spoken code. Both give an element, and what they ask for.
import { button, fill, h, say } from "/static/js/kit.js";
import { W } from "/static/tab/words.js";

/** What was typed last, for the next time: nothing of it is secret. */
export function last(key, value) {
  try {
    if (value) localStorage.setItem(`nodealer ${key}`, value);
    return localStorage.getItem(`nodealer ${key}`) ?? "";
  } catch {
    return value ?? "";
  }
}

export const field = (label, control, help, kind = "") => control.setAttribute("aria-label", label) ?? h("label", { class: `field ${kind}` }, h("span", {}, label), control, help ? h("small", {}, help) : null);
export const nameField = () => h("input", { type: "text", value: last("name"), maxlength: 32, autocomplete: "nickname" });
const relayField = () => h("input", { type: "text", inputmode: "url", autocapitalize: "off", spellcheck: false, value: last("relay"), placeholder: "wss://relay.example", maxlength: 200 });
const number = (min, max, value) => h("input", { type: "number", min, max, value });
const choice = (options, chosen) => h("select", {}, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));

/** A form with its problem line: what it asks for goes to `go` when all that it needs is there. */
function form(title, needed, content, back, label, go) {
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button primary big", type: "submit" }, label);
  const element = h("form", {}, h("h2", {}, title), content, problem, h("div", { class: "row end" }, button(W.back, back, { kind: "quiet" }), submit));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const empty = needed.find((one) => !one.value.trim());
    if (empty) return empty.focus();
    say(problem, "");
    submit.disabled = true;
    go();
  });
  return {
    element,
    refused(reason) {
      submit.disabled = false;
      say(problem, reason);
    },
  };
}

export function hostForm({ games, first, move }, back, go) {
  const chosen = () => games.find((one) => one.game.name === game.value);
  const name = nameField();
  const relay = relayField();
  const game = choice(games.map((one) => [one.game.name, one.game.name]), first);
  const seats = number(2, 9, 3);
  const hands = number(1, 10000, 10);
  const note = h("p", { class: "note" });
  const settings = h("div", { class: "fields settings" });
  const cards = h("select", {});
  const warning = h("p", { class: "warning" });
  const time = choice([["", W.time.none], ["may", W.time.may], ["must", W.time.must]], "");
  const seconds = number(1, 86400, move);
  const limit = field(W.time.move, seconds);
  const help = h("p", { class: "note" });

  function play() {
    const one = chosen();
    seats.value = one.game.seats;
    hands.value = one.game.hands;
    say(note, one.game.note);
    fill(settings, one.game.settings.map(([key, text, value]) => field(key, h("input", { type: "text", name: key, value, maxlength: 60 }), text)));
    fill(cards, h("option", { value: "" }, W.own(one.cards[0])), one.cards.slice(1).map((it, at) => h("option", { value: at + 1 }, W.dealt(it))));
    warn();
  }
  function warn() {
    say(warning, chosen().cards[Number(cards.value)]?.warning ?? "");
  }
  function keep() {
    limit.hidden = !time.value;
    say(help, W.time.help[time.value]);
  }
  game.addEventListener("change", play);
  cards.addEventListener("change", warn);
  time.addEventListener("change", keep);
  play();
  keep();

  const content = [
    h("div", { class: "fields" }, field(W.name, name), field(W.game, game), field(W.relay, relay, W.relayHelp, "wide"), field(W.seats, seats), field(W.hands, hands)),
    note,
    h("details", {}, h("summary", {}, W.more), settings, h("div", { class: "fields" }, field(W.cards, cards, null, "wide")), warning, h("div", { class: "fields" }, field(W.time.label, time, null, "wide"), limit), help),
  ];
  return form(W.host, [name, relay], content, back, W.begin, () => {
    const dealt = cards.value ? chosen().cards[Number(cards.value)] : null;
    go({
      name: last("name", name.value.trim()),
      relay: last("relay", relay.value.trim()),
      page: `${location.origin}${location.pathname === "/" ? "" : location.pathname}`,
      game: game.value,
      seats: Number(seats.value),
      hands: Number(hands.value),
      settings: Object.fromEntries([...settings.querySelectorAll("input")].map((one) => [one.name, one.value])),
      protocol: dealt?.protocol ?? null,
      parameters: dealt?.parameters ?? null,
      move: time.value ? Number(seconds.value) : null,
      awaits_keeper: time.value === "must",
    });
  });
}

export function codeForm(back, go) {
  const name = nameField();
  const code = h("input", { type: "text", autocapitalize: "off", autocomplete: "off", spellcheck: false, placeholder: "7-apple-river", maxlength: 60 });
  const relay = relayField();
  const content = [h("p", { class: "lead" }, W.codeLead), h("div", { class: "fields" }, field(W.code, code), field(W.name, name), field(W.relay, relay, W.codeRelay, "wide"))];
  return form(W.haveCode, [code, name, relay], content, back, W.sit, () => go({ code: code.value.trim(), name: last("name", name.value.trim()), relay: last("relay", relay.value.trim()) }));
}
