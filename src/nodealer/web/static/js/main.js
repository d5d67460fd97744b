// The page: documents come in, parts of the page are told. It knows no secret that its person may not see, and no game.
import { T, button, fill, flag, h, linkRow, motion, plainText, say, spans } from "./kit.js";
import { connectSeat } from "./link.js";
import { pacer } from "./pace.js";
import { fairness } from "./fairness.js";
import { inWords, logPanel } from "./log.js";
import { handsPanel } from "./hands.js";
import { lobbyScreen, startScreen } from "./start.js";
import plain from "./plain.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const actions = $("actions");
const now = { hello: null, offers: null, table: null, view: null, ask: null, over: null, working: null, result: null, game: null, start: null };
const state = {
  names: (seat) => now.table?.seats.find((one) => one.seat === seat)?.name ?? `${seat}`,
  you: () => now.table?.you ?? null,
  players: () => now.view?.page?.seats?.length ?? now.table?.seats.length ?? 0,
};
let link = null;
const getLink = () => link;

// --- Panels ---

const panels = {};
for (const name of ["fair", "log", "hands"]) {
  const panel = h("div", { class: `panel ${name}`, role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: name !== "fair" });
  const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "aria-selected": name === "fair", tabindex: name === "fair" ? 0 : -1, onclick: () => open(name) }, T.tabs[name]);
  $("tabs").append(tab);
  $("panels").append(panel);
  panels[name] = { panel, tab };
}
$("tabs").addEventListener("keydown", (event) => {
  const names = Object.keys(panels);
  const at = names.findIndex((name) => panels[name].tab === document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || at < 0) return;
  const next = names[(at + step + names.length) % names.length];
  open(next);
  panels[next].tab.focus();
});

function open(name) {
  const sheet = document.body.classList.contains("sheet-open") && !panels[name].panel.hidden;
  for (const [other, { panel, tab }] of Object.entries(panels)) {
    panel.hidden = other !== name;
    tab.setAttribute("aria-selected", other === name);
    tab.tabIndex = other === name ? 0 : -1;
  }
  // On a phone the panels are a sheet: the tab that is open closes it.
  flag(document.body, "sheet-open", !sheet);
  if (name === "log") log.open();
}

const fair = fairness(panels.fair.panel, { link: getLink, state });
const log = logPanel(panels.log.panel, { link: getLink, state });
const hands = handsPanel(panels.hands.panel, { link: getLink, state, show: showMoment, live });

// --- Settings ---

const kept = {
  get: (name, other) => {
    try {
      return localStorage.getItem(`nodealer ${name}`) ?? other;
    } catch {
      return other;
    }
  },
  set: (name, value) => {
    try {
      localStorage.setItem(`nodealer ${name}`, value);
    } catch {
      // Nothing is kept where nothing may be.
    }
  },
};
const pace = pacer(shown);

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  kept.set("theme", theme);
}

function setPace(value) {
  pace.pace = value;
  motion.calm = value !== "none";
  kept.set("pace", value);
}
setTheme(kept.get("theme", "auto"));
setPace(kept.get("pace", "calm"));

function picker(label, texts, value, choose) {
  return h("fieldset", { class: "picker" }, h("legend", {}, label), Object.entries(texts).filter(([name]) => name !== "label").map(([name, text]) => h("label", {}, h("input", { type: "radio", name: label, value: name, checked: name === value, onchange: () => choose(name) }), h("span", {}, text))));
}

function settings() {
  dialog(T.settings, [
    picker(T.theme.label, T.theme, kept.get("theme", "auto"), setTheme),
    picker(T.pace.label, T.pace, kept.get("pace", "calm"), setPace),
    now.table?.rules.length ? h("details", {}, h("summary", {}, T.rules), now.table.rules.map((line) => h("p", {}, spans(line)))) : null,
    now.game?.keys?.length ? h("details", { open: true }, h("summary", {}, T.keys), h("dl", { class: "keylist" }, now.game.keys.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text))))) : null,
    h("div", { class: "row staying" }, staying(now.view?.may ?? {})),
  ]);
}

/** Staying, sitting out, leaving. */
function staying(may) {
  const done = (document) => {
    $("dialog").close();
    link.say(document);
  };
  return [
    may.sit_out ? button(T.sitOut, () => done({ type: "sit out" })) : null,
    may.back ? button(T.comeBack, () => done({ type: "back" }), { kind: "primary" }) : null,
    may.leave ? button(T.leave, () => confirmed(T.leaveSure, () => link.say({ type: "leave" })), { kind: "danger" }) : null,
  ];
}

$("tools").append(
  h("a", { class: "button quiet", href: "/how", target: "_blank", rel: "noopener", "aria-label": T.how }, h("span", { class: "long" }, T.how), h("span", { class: "short", "aria-hidden": "true" }, "?")),
  h("button", { type: "button", class: "button quiet", "aria-label": T.settings, onclick: settings }, h("span", { class: "long" }, T.settings), h("span", { class: "short", "aria-hidden": "true" }, "⚙")),
);

// --- Dialogs and notices ---

function dialog(title, content, buttons = [button(T.close, () => $("dialog").close())]) {
  const element = $("dialog");
  fill(element, h("h2", { id: "dialog-title" }, title), content, h("div", { class: "row end" }, buttons));
  element.setAttribute("aria-labelledby", "dialog-title");
  if (!element.open) element.showModal();
}

function confirmed(text, then) {
  dialog(text, [], [
    button(T.cancel, () => $("dialog").close(), { kind: "quiet" }),
    button(T.yes, () => {
      $("dialog").close();
      then();
    }, { kind: "primary" }),
  ]);
}

const notices = new Map();
function notice(kind, text, about) {
  notices.get(about)?.remove();
  const element = h("div", { class: `notice ${kind}` }, h("span", {}, text), h("button", { type: "button", class: "x", "aria-label": T.close, onclick: () => element.remove() }, "×"));
  notices.set(about, element);
  $("notices").append(element);
  if (kind === "good") setTimeout(() => element.remove(), 4000);
}

function spoken(text) {
  if (!text) return;
  $("spoken").append(h("p", {}, text));
  while ($("spoken").childElementCount > 20) $("spoken").firstElementChild.remove();
}

// --- The table ---

const modules = new Map();
async function gameModule(path) {
  if (path === null) return plain;
  if (!modules.has(path)) {
    const base = path.replace(/table\.js$/, "");
    document.head.append(h("link", { rel: "stylesheet", href: `/${base}table.css` }));
    modules.set(path, import(`/${path}`).then((found) => found.default, () => plain));
  }
  return modules.get(path);
}

async function openTable(table) {
  now.game?.destroy?.();
  now.game = null;
  const mounted = table;
  const make = await gameModule(table.module);
  if (now.table !== mounted) return;
  fill(actions);
  const root = h("div", { class: `table game-${table.game}` });
  stage.replaceChildren(root);
  now.game = make({ root, actions, table, say: (document) => link.say(document), names: state.names });
  live();
  if (now.hello.role === "replay") {
    fill(actions, h("p", { class: "resting" }, T.replaying));
    link.say({ type: "replay", hand: 1 });
  }
}

function live() {
  if (now.working) now.game?.working?.(now.working);
  if (now.view) showView(now.view);
  if (now.result) now.game?.line?.(now.result);
  ask(now.ask);
  if (now.over) handlers.over(now.over);
}

/** A moment of a hand that was played. */
function showMoment(view, lines, moving) {
  now.game?.working?.({ steps: [] });
  showView(view, { replayed: true, moving });
  for (const line of lines) now.game?.line?.(line);
}

function showView(view, { replayed = false, moving = true } = {}) {
  now.game?.update(view, { moving });
  if (replayed) {
    fill(actions);
    noLaw();
  } else law(view);
  const rest = [now.table.game, now.hello.role === "watcher" ? T.watching : null, now.hello.role === "replay" ? T.replaying : null];
  const at = [T.hand(view.hand), ...rest].filter(Boolean).join(" · ");
  // On a phone the words of the table need the room.
  if ($("where").textContent !== at) fill($("where"), T.hand(view.hand), h("span", { class: "long" }, at.slice(T.hand(view.hand).length)));
}

/** What the law of the table lets one do about those who hold it up. */
function law(view) {
  const late = view.seats.filter((one) => one.waited > 0);
  const { may, alone, asking, proposed } = view;
  const shown = JSON.stringify([late.map((one) => one.seat), may, alone, asking, proposed]);
  if ($("law").dataset.shown === shown) return;
  $("law").dataset.shown = shown;
  const can = [];
  const text = (words) => can.push(h("p", {}, words));
  const press = (label, document, kind = "quiet") => can.push(button(label, () => link.say(document), { kind }));
  const ask = (label, sure, document, kind = "quiet") => can.push(button(label, () => confirmed(sure, () => link.say(document)), { kind }));
  if (late.length && (may.vote || may.break_off)) text(T.law.waits(late.map((one) => one.name)));
  if (may.vote) for (const one of late) may.voted.includes(one.seat) ? text(T.law.voted(one.name, may)) : press(T.law.without(one.name, may), { type: "without", seats: [one.seat] });
  if (may.break_off) ask(T.law.needed(T.law.breaks[may.breaks], may), T.law.breaksSure[may.breaks], { type: "break" });
  if (may.claim) ask(T.law.claim, T.law.claimSure, { type: "claim" }, "danger");
  if (may.unprovable) text(T.law.unprovable);
  for (const hand of may.books) ask(T.law.book(hand), T.law.bookSure, { type: "book" }, "danger");
  if (alone) {
    text(T.law.alone(alone));
    if (may.leave) press(T.law.end, { type: "leave" });
  }
  for (const one of asking) {
    text(T.law.asking(one));
    press(T.law.seat(one.name), { type: "seat", name: one.name });
  }
  for (const one of proposed) {
    text(T.law.proposed(one));
    press(T.law.agree(one.by), { type: "agree", proposal: one.proposal });
  }
  if (may.back) {
    text(T.satOut);
    press(T.comeBack, { type: "back" }, "primary");
  }
  fill($("law"), can);
}

function noLaw() {
  fill($("law")).dataset.shown = "";
}

// --- Documents ---

const PACED = new Set(["line", "view", "ask", "unask", "working", "proof", "over", "fault", "hand", "verdict"]);

function heard(document) {
  if (document.type === "hello") {
    pace.clear();
    pace.rush(400);
  }
  if (PACED.has(document.type)) pace.push(document);
  else shown(document);
}

function shown(document) {
  handlers[document.type]?.(document);
}

const handlers = {
  hello(document) {
    if (document.page !== 1) return notice("bad", T.connection.version, "link");
    Object.assign(now, { hello: document, offers: null, table: null, view: null, ask: null, over: null, working: null, result: null, start: null });
    now.game?.destroy?.();
    now.game = null;
    noLaw();
    for (const element of notices.values()) element.remove();
    fair.reset();
    log.reset(document.role === "player");
    hands.reset();
    flag(window.document.body, "replay", document.role === "replay");
    fill($("spoken"));
    say($("where"), "");
  },
  offers(document) {
    now.offers = document;
    if (!now.table) now.start = startScreen(stage, actions, document, link, false);
  },
  lobby(document) {
    now.start = null;
    lobbyScreen(stage, actions, document, link);
  },
  table(document) {
    now.table = document;
    now.start = null;
    window.document.title = T.title(document);
    fair.table(document);
    words(document);
    if (document.rehearsal) notice("note", T.fair.rehearsal, "rehearsal");
    openTable(document);
  },
  view(document) {
    now.view = document;
    if (!hands.replaying) showView(document);
  },
  ask(document) {
    now.ask = document;
    if (hands.replaying) return;
    ask(document);
    if (document.for === "choose") choose(document);
    else spoken(T.seat.yourTurn);
  },
  unask() {
    now.ask = null;
    if ($("dialog").dataset.choosing || $("dialog").dataset.about) $("dialog").close();
    now.game?.ask?.(null);
  },
  refused(document) {
    const reason = T.refused[document.code] ?? document.reason;
    if (now.start) return now.start.refused(reason);
    notice("bad", reason, "refused");
    now.game?.refused?.(reason);
  },
  doubt(document) {
    // Only for the question it was about: another one may be asked by the time it comes, or somebody says yes.
    if (now.ask?.ask !== document.ask) return;
    // Who says no is still asked.
    ask(now.ask);
    confirmed(document.text, () => now.ask?.ask === document.ask && now.game?.sure?.());
    $("dialog").dataset.about = document.ask;
  },
  line(document) {
    if (document.event === "begin" && document.data.hand !== now.begun) {
      now.begun = document.data.hand;
      fair.clear();
    }
    if (document.event === "begin") now.result = null;
    if (document.event === "result") now.result = document;
    log.line(document);
    // Who looks at a hand of before sees that one, whatever the table does.
    if (!hands.replaying) now.game?.line?.(document);
    spoken(inWords(document, document.seat === null || document.event === "result" ? "" : document.name));
  },
  working(document) {
    now.working = document;
    fair.working(document);
    if (!hands.replaying) now.game?.working?.(document);
  },
  proof(document) {
    fair.proof(document);
    log.proof(document);
    if (!hands.replaying) now.game?.proof?.(document);
  },
  log: (document) => fair.log(document),
  chat(document) {
    log.chat(document);
    spoken(`${document.name} ${T.log.says}: ${document.text}`);
    now.game?.chat?.(document);
  },
  hand: (document) => hands.hand(document),
  replay(document) {
    open("hands");
    flag(window.document.body, "sheet-open", true);
    hands.replay(document);
  },
  file(document) {
    const url = URL.createObjectURL(new Blob([document.text], { type: "application/jsonl" }));
    h("a", { href: url, download: document.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  },
  verdict: (document) => fair.verdict(document),
  cheat: (document) => fair.cheat(document),
  fault(document) {
    fair.fault(document);
    open("fair");
  },
  notice({ kind, code, of, about }) {
    const links = [[T.lobby.watch, of.watch], [T.lobby.ask, of.link]].filter(([, link]) => link);
    notice(kind, [T.notices[code]?.(of) ?? code, links.map(([label, link]) => h("div", {}, h("small", {}, label), linkRow(label, link)))], about);
  },
  over(document) {
    now.over = document;
    noLaw();
    const text = document.reason ? T.nothing(document.reason) : T.over;
    now.game?.over?.(document);
    if (document.again && now.offers) {
      fill(actions, h("div", { class: "question" }, h("p", {}, text), button(T.start.again, () => {
        now.table = null;
        now.start = startScreen(stage, actions, now.offers, link, true);
      }, { kind: "primary" })));
    } else fill(actions, h("div", { class: "question" }, h("p", {}, text)));
  },
};

function words(table) {
  $("where").parentElement.querySelector(".words")?.remove();
  $("where").before(h("button", { type: "button", class: "words", "aria-label": `${T.words}: ${table.words.join(" ")}`, title: T.words, onclick: () => dialog(T.words, [h("p", { class: "bigwords" }, table.words.join(" ")), h("p", {}, T.wordsHelp)]) }, table.words.join(" ")));
}

/** What is asked goes to the game; but what is to be sealed is asked in the same way in every game. */
function ask(asked) {
  now.game?.ask?.(asked?.for === "seal" ? null : asked);
  if (asked?.for !== "seal") return;
  const input = h("input", { type: "text", maxlength: 200, autocomplete: "off", "aria-label": T.seal.text });
  const form = h("form", { class: "typed" }, h("p", {}, asked.prompt.length ? spans(asked.prompt) : T.seal.text), h("div", { class: "row" }, input, button(T.seal.go, () => form.requestSubmit(), { kind: "primary" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    link.say({ type: "seal", ask: asked.ask, text: input.value });
  });
  fill(actions, form);
  input.focus();
}

/** A private choice about cards that were looked at. A game may show them in its own way. */
function choose(ask) {
  const order = ask.seen.map((one) => one.position);
  const text = (one) => h("span", {}, now.game?.cardLine?.(one.position, one.text) ?? spans(one.text));
  const answer = (positions) => {
    link.say({ type: "choose", ask: ask.ask, choose: positions });
  };
  const list = h("ol", { class: "choices" });
  const byPosition = new Map(ask.seen.map((one) => [one.position, one]));
  function draw() {
    fill(
      list,
      order.map((position, at) => {
        const one = byPosition.get(position);
        if (ask.then === "take") return h("li", {}, h("button", { type: "button", class: "choice", onclick: () => answer([position]) }, text(one)));
        const move = (to) => {
          if (to < 0 || to >= order.length) return;
          [order[at], order[to]] = [order[to], order[at]];
          draw();
          list.children[to].querySelector("button").focus();
        };
        return h("li", { class: "movable" }, text(one), h("span", {}, h("button", { type: "button", class: "button quiet", "aria-label": `${T.choose.up}: ${plainText(one.text)}`, onclick: () => move(at - 1) }, "↑"), h("button", { type: "button", class: "button quiet", "aria-label": `${T.choose.down}: ${plainText(one.text)}`, onclick: () => move(at + 1) }, "↓")));
      }),
    );
  }
  draw();
  $("dialog").dataset.choosing = "1";
  // "keep" is the name of a button there.
  dialog(T.choose[ask.then === "keep" ? "first" : ask.then] ?? T.choose.look, [list], ask.then === "take" ? [] : [button(T.choose.done, () => answer(order), { kind: "primary" })]);
}
$("dialog").addEventListener("close", () => {
  // It comes a moment later: the next question may have opened it again.
  if ($("dialog").open) return;
  delete $("dialog").dataset.choosing;
  delete $("dialog").dataset.about;
});
$("dialog").addEventListener("cancel", (event) => {
  if ($("dialog").dataset.choosing) event.preventDefault();
});

// --- What the page itself says ---

say($("skip"), T.skip);
for (const [id, label] of Object.entries(T.places)) $(id)?.setAttribute("aria-label", label);

// --- The link ---

link = connectSeat({
  tell: (document) => {
    notices.get("link")?.remove();
    heard(document);
  },
  lost: (tries) => notice("note", tries < 12 ? T.connection.lost : T.connection.gone, "link"),
  refused: () => fill(stage, h("p", { class: "fatal" }, T.connection.used)),
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  if (event.target.closest?.("input:not([type=range]), select, textarea")) return;
  if (event.key === " " && event.target === document.body) pace.skip();
  now.game?.key?.(event);
});
document.addEventListener("visibilitychange", () => pace.skip());
