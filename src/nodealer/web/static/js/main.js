// The page: it receives documents from the seat and passes them to its parts. It knows no game, and no secret that this
// player may not see.
import { T, button, fill, h, linkRow, motion, plainText, renderSpans, setText, toggleClass } from "./kit.js";
import { connectSeat } from "./link.js";
import { createPacer } from "./pace.js";
import { createFairnessPanel } from "./fairness.js";
import { createLogPanel, lineAsText } from "./log.js";
import { createHandsPanel } from "./hands.js";
import { showLobby, showStart } from "./start.js";
import createPlainTable from "./plain.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const actions = $("actions");
// The newest document of each kind, the game's table, and the start form if it is open.
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
  const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "aria-selected": name === "fair", tabindex: name === "fair" ? 0 : -1, onclick: () => openPanel(name) }, T.tabs[name]);
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
  openPanel(next);
  panels[next].tab.focus();
});

/** Show a panel. On a phone the panels are a sheet, and the tab that is open closes it. */
function openPanel(name) {
  const wasOpen = document.body.classList.contains("sheet-open") && !panels[name].panel.hidden;
  for (const [other, { panel, tab }] of Object.entries(panels)) {
    panel.hidden = other !== name;
    tab.setAttribute("aria-selected", other === name);
    tab.tabIndex = other === name ? 0 : -1;
  }
  toggleClass(document.body, "sheet-open", !wasOpen);
  if (name === "log") log.scrollToNewest();
}

const fair = createFairnessPanel(panels.fair.panel, { link: getLink, state });
const log = createLogPanel(panels.log.panel, { link: getLink, state });
const hands = createHandsPanel(panels.hands.panel, { link: getLink, state, showMoment, showLive });

// --- Settings ---

const preferences = {
  get: (name, fallback) => {
    try {
      return localStorage.getItem(`nodealer ${name}`) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set: (name, value) => {
    try {
      localStorage.setItem(`nodealer ${name}`, value);
    } catch {
      // Without storage, preferences last until the page is closed.
    }
  },
};
const pace = createPacer(show);

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  preferences.set("theme", theme);
}

function setPace(value) {
  pace.pace = value;
  motion.enabled = value !== "none";
  preferences.set("pace", value);
}
setTheme(preferences.get("theme", "auto"));
setPace(preferences.get("pace", "calm"));

/** Return a group of radio buttons, one for each text except the label. */
function renderPicker(label, texts, value, choose) {
  return h("fieldset", { class: "picker" }, h("legend", {}, label), Object.entries(texts).filter(([name]) => name !== "label").map(([name, text]) => h("label", {}, h("input", { type: "radio", name: label, value: name, checked: name === value, onchange: () => choose(name) }), h("span", {}, text))));
}

function openSettings() {
  openDialog(T.settings, [
    renderPicker(T.theme.label, T.theme, preferences.get("theme", "auto"), setTheme),
    renderPicker(T.pace.label, T.pace, preferences.get("pace", "calm"), setPace),
    now.table?.rules.length ? h("details", {}, h("summary", {}, T.gameRules), now.table.rules.map((line) => h("p", {}, renderSpans(line)))) : null,
    now.game?.keys?.length ? h("details", { open: true }, h("summary", {}, T.keys), h("dl", { class: "keylist" }, now.game.keys.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text))))) : null,
    h("div", { class: "row staying" }, stayingButtons(now.view?.may ?? {})),
  ]);
}

/** Return the buttons to sit out, to rejoin and to leave. */
function stayingButtons(may) {
  const closeAndSend = (doc) => {
    $("dialog").close();
    link.send(doc);
  };
  return [
    may.sit_out ? button(T.sitOut, () => closeAndSend({ type: "sit out" })) : null,
    may.back ? button(T.rejoin, () => closeAndSend({ type: "back" }), { kind: "primary" }) : null,
    may.leave ? button(T.leave, () => confirm(T.leaveConfirm, () => link.send({ type: "leave" })), { kind: "danger" }) : null,
  ];
}

$("tools").append(
  h("a", { class: "button quiet", href: "/how", target: "_blank", rel: "noopener", "aria-label": T.how }, h("span", { class: "long" }, T.how), h("span", { class: "short", "aria-hidden": "true" }, "?")),
  h("button", { type: "button", class: "button quiet", "aria-label": T.settings, onclick: openSettings }, h("span", { class: "long" }, T.settings), h("span", { class: "short", "aria-hidden": "true" }, "⚙")),
);

// --- Dialogs and notices ---

/** Open the dialog, in place of what it shows now. */
function openDialog(title, content, buttons = [button(T.close, () => $("dialog").close())]) {
  const element = $("dialog");
  fill(element, h("h2", { id: "dialog-title" }, title), content, h("div", { class: "row end" }, buttons));
  element.setAttribute("aria-labelledby", "dialog-title");
  if (!element.open) element.showModal();
}

/** Ask for confirmation, and call `then` if the answer is yes. */
function confirm(text, then) {
  openDialog(text, [], [
    button(T.cancel, () => $("dialog").close(), { kind: "quiet" }),
    button(T.yes, () => {
      $("dialog").close();
      then();
    }, { kind: "primary" }),
  ]);
}

const notices = new Map();
/** Show a notice. It replaces an earlier one about the same thing. */
function showNotice(kind, text, about) {
  notices.get(about)?.remove();
  const element = h("div", { class: `notice ${kind}` }, h("span", {}, text), h("button", { type: "button", class: "x", "aria-label": T.close, onclick: () => element.remove() }, "×"));
  notices.set(about, element);
  $("notices").append(element);
  if (kind === "good") setTimeout(() => element.remove(), 4000);
}

/** Have screen readers read this out. */
function announce(text) {
  if (!text) return;
  $("announcer").append(h("p", {}, text));
  while ($("announcer").childElementCount > 20) $("announcer").firstElementChild.remove();
}

// --- The table ---

const modules = new Map();
/** Load the module of a game's own table; games without one, or whose module fails to load, get the plain table. */
async function loadTableModule(path) {
  if (path === null) return createPlainTable;
  if (!modules.has(path)) {
    const base = path.replace(/table\.js$/, "");
    document.head.append(h("link", { rel: "stylesheet", href: `/${base}table.css` }));
    modules.set(path, import(`/${path}`).then((found) => found.default, () => createPlainTable));
  }
  return modules.get(path);
}

/** Put the table of a game on the page. */
async function openTable(table) {
  now.game?.destroy?.();
  now.game = null;
  const createTable = await loadTableModule(table.module);
  // Another table may have begun meanwhile.
  if (now.table !== table) return;
  fill(actions);
  const root = h("div", { class: `table game-${table.game}` });
  stage.replaceChildren(root);
  now.game = createTable({ root, actions, table, say: (doc) => link.send(doc), names: state.names });
  showLive();
  if (now.hello.role === "replay") {
    fill(actions, h("p", { class: "resting" }, T.replaying));
    link.send({ type: "replay", hand: 1 });
  }
}

/** Show the table as it is now, for instance after a replay. */
function showLive() {
  if (now.working) now.game?.working?.(now.working);
  if (now.view) showView(now.view);
  if (now.result) now.game?.line?.(now.result);
  showQuestion(now.ask);
  if (now.over) handlers.over(now.over);
}

/** Show a moment of a finished hand. */
function showMoment(view, lines, moving) {
  now.game?.working?.({ steps: [] });
  showView(view, { replayed: true, moving });
  for (const line of lines) now.game?.line?.(line);
}

/** Show a view of the table, live or replayed. */
function showView(view, { replayed = false, moving = true } = {}) {
  now.game?.update(view, { moving });
  if (replayed) {
    fill(actions);
    clearTableRules();
  } else showTableRules(view);
  const rest = [now.table.game, now.hello.role === "watcher" ? T.watching : null, now.hello.role === "replay" ? T.replaying : null];
  const caption = [T.hand(view.hand), ...rest].filter(Boolean).join(" · ");
  // On a phone only the hand is shown: the words of the table need the room.
  if ($("caption").textContent !== caption) fill($("caption"), T.hand(view.hand), h("span", { class: "long" }, caption.slice(T.hand(view.hand).length)));
}

/** Show what the table rules let this player do: vote about players who hold it up, dispute, seat someone. */
function showTableRules(view) {
  const late = view.seats.filter((one) => one.waited > 0);
  const { may, alone, asking, proposed } = view;
  const shown = JSON.stringify([late.map((one) => one.seat), may, alone, asking, proposed]);
  if ($("table-rules").dataset.shown === shown) return;
  $("table-rules").dataset.shown = shown;
  const R = T.tableRules;
  const content = [];
  const addText = (text) => content.push(h("p", {}, text));
  const addButton = (label, doc, kind = "quiet") => content.push(button(label, () => link.send(doc), { kind }));
  const addConfirmed = (label, question, doc, kind = "quiet") => content.push(button(label, () => confirm(question, () => link.send(doc)), { kind }));
  if (late.length && (may.vote || may.break_off)) addText(R.waits(late.map((one) => one.name)));
  if (may.vote) for (const one of late) may.voted.includes(one.seat) ? addText(R.skipVoted(one.name, may)) : addButton(R.skip(one.name, may), { type: "without", seats: [one.seat] });
  if (may.break_off) addConfirmed(R.votesNeeded(R.abort[may.breaks], may), R.abortConfirm[may.breaks], { type: "break" });
  if (may.claim) addConfirmed(R.dispute, R.disputeConfirm, { type: "claim" }, "danger");
  if (may.unprovable) addText(R.unprovable);
  for (const hand of may.books) addConfirmed(R.disclose(hand), R.discloseConfirm, { type: "book" }, "danger");
  if (alone) {
    addText(R.alone(alone));
    if (may.leave) addButton(R.end, { type: "leave" });
  }
  for (const one of asking) {
    addText(R.seatRequest(one));
    addButton(R.proposeSeat(one.name), { type: "seat", name: one.name });
  }
  for (const one of proposed) {
    addText(R.proposed(one));
    addButton(R.agree(one.by), { type: "agree", proposal: one.proposal });
  }
  if (may.back) {
    addText(T.sittingOut);
    addButton(T.rejoin, { type: "back" }, "primary");
  }
  fill($("table-rules"), content);
}

function clearTableRules() {
  fill($("table-rules")).dataset.shown = "";
}

// --- Documents ---

/** Documents that are shown at a pace; all others at once. */
const PACED = new Set(["line", "view", "ask", "unask", "working", "proof", "over", "fault", "hand", "verdict"]);

function receive(doc) {
  if (doc.type === "hello") {
    pace.clear();
    pace.rush(400);
  }
  if (PACED.has(doc.type)) pace.push(doc);
  else show(doc);
}

function show(doc) {
  handlers[doc.type]?.(doc);
}

const handlers = {
  hello(doc) {
    if (doc.page !== 1) return showNotice("bad", T.connection.version, "link");
    Object.assign(now, { hello: doc, offers: null, table: null, view: null, ask: null, over: null, working: null, result: null, start: null });
    now.game?.destroy?.();
    now.game = null;
    clearTableRules();
    for (const element of notices.values()) element.remove();
    fair.reset();
    log.reset(doc.role === "player");
    hands.reset();
    toggleClass(document.body, "replay", doc.role === "replay");
    fill($("announcer"));
    setText($("caption"), "");
  },
  offers(doc) {
    now.offers = doc;
    if (!now.table) now.start = showStart(stage, actions, doc, link, false);
  },
  lobby(doc) {
    now.start = null;
    showLobby(stage, actions, doc, link);
  },
  table(doc) {
    now.table = doc;
    now.start = null;
    document.title = T.title(doc);
    fair.table(doc);
    showTableWords(doc);
    if (doc.rehearsal) showNotice("note", T.fair.rehearsal, "rehearsal");
    openTable(doc);
  },
  view(doc) {
    now.view = doc;
    if (!hands.isReplaying) showView(doc);
  },
  ask(doc) {
    now.ask = doc;
    if (hands.isReplaying) return;
    showQuestion(doc);
    if (doc.for === "choose") openChoice(doc);
    else announce(T.seat.yourTurn);
  },
  unask() {
    now.ask = null;
    if ($("dialog").dataset.choosing || $("dialog").dataset.about) $("dialog").close();
    now.game?.ask?.(null);
  },
  refused(doc) {
    const reason = T.refused[doc.code] ?? doc.reason;
    if (now.start) return now.start.refused(reason);
    showNotice("bad", reason, "refused");
    now.game?.refused?.(reason);
  },
  doubt(doc) {
    // A doubt is about one question. By the time it arrives, or is confirmed, another question may be open.
    if (now.ask?.ask !== doc.ask) return;
    // If the answer is no, the question stays open.
    showQuestion(now.ask);
    confirm(doc.text, () => now.ask?.ask === doc.ask && now.game?.sure?.());
    $("dialog").dataset.about = doc.ask;
  },
  line(doc) {
    if (doc.event === "begin" && doc.data.hand !== now.begun) {
      now.begun = doc.data.hand;
      fair.clear();
    }
    if (doc.event === "begin") now.result = null;
    if (doc.event === "result") now.result = doc;
    log.line(doc);
    // During a replay the table shows the old hand, whatever happens now.
    if (!hands.isReplaying) now.game?.line?.(doc);
    announce(lineAsText(doc, doc.seat === null || doc.event === "result" ? "" : doc.name));
  },
  working(doc) {
    now.working = doc;
    fair.working(doc);
    if (!hands.isReplaying) now.game?.working?.(doc);
  },
  proof(doc) {
    fair.proof(doc);
    log.proof(doc);
    if (!hands.isReplaying) now.game?.proof?.(doc);
  },
  log: (doc) => fair.log(doc),
  chat(doc) {
    log.chat(doc);
    announce(T.log.says(doc.name, doc.text));
    now.game?.chat?.(doc);
  },
  hand: (doc) => hands.addHand(doc),
  replay(doc) {
    openPanel("hands");
    toggleClass(document.body, "sheet-open", true);
    hands.replay(doc);
  },
  file(doc) {
    const url = URL.createObjectURL(new Blob([doc.text], { type: "application/jsonl" }));
    h("a", { href: url, download: doc.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  },
  verdict: (doc) => fair.verdict(doc),
  cheat: (doc) => fair.cheat(doc),
  fault(doc) {
    fair.fault(doc);
    openPanel("fair");
  },
  notice({ kind, code, of, about }) {
    const links = [[T.lobby.watch, of.watch], [T.lobby.ask, of.link]].filter(([, link]) => link);
    showNotice(kind, [T.notices[code]?.(of) ?? code, links.map(([label, link]) => h("div", {}, h("small", {}, label), linkRow(label, link)))], about);
  },
  over(doc) {
    now.over = doc;
    clearTableRules();
    const text = doc.reason ? T.nothing(doc.reason) : T.over;
    now.game?.over?.(doc);
    if (doc.again && now.offers) {
      fill(actions, h("div", { class: "question" }, h("p", {}, text), button(T.start.again, () => {
        now.table = null;
        now.start = showStart(stage, actions, now.offers, link, true);
      }, { kind: "primary" })));
    } else fill(actions, h("div", { class: "question" }, h("p", {}, text)));
  },
};

/** Show the words of the table in the bar. */
function showTableWords(table) {
  const words = table.words.join(" ");
  $("caption").parentElement.querySelector(".words")?.remove();
  $("caption").before(h("button", { type: "button", class: "words", "aria-label": `${T.tableWords}: ${words}`, title: T.tableWords, onclick: () => openDialog(T.tableWords, [h("p", { class: "bigwords" }, words), h("p", {}, T.tableWordsHelp)]) }, words));
}

/** Show the open question, or null for none. The game asks it, except for an envelope: every game asks that alike. */
function showQuestion(asked) {
  now.game?.ask?.(asked?.for === "seal" ? null : asked);
  if (asked?.for !== "seal") return;
  const input = h("input", { type: "text", maxlength: 200, autocomplete: "off", "aria-label": T.seal.text });
  const form = h("form", { class: "typed" }, h("p", {}, asked.prompt.length ? renderSpans(asked.prompt) : T.seal.text), h("div", { class: "row" }, input, button(T.seal.go, () => form.requestSubmit(), { kind: "primary" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    link.send({ type: "seal", ask: asked.ask, text: input.value });
  });
  fill(actions, form);
  input.focus();
}

/** Open the dialog for a private choice about cards you looked at. A game may render these cards in its own way. */
function openChoice(ask) {
  const order = ask.seen.map((one) => one.position);
  const text = (one) => h("span", {}, now.game?.cardLine?.(one.position, one.text) ?? renderSpans(one.text));
  const answer = (positions) => link.send({ type: "choose", ask: ask.ask, choose: positions });
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
  openDialog(T.choose[ask.then] ?? T.choose.look, [list], ask.then === "take" ? [] : [button(T.choose.done, () => answer(order), { kind: "primary" })]);
}
$("dialog").addEventListener("close", () => {
  // This event comes a moment later, when the next question may have opened the dialog again.
  if ($("dialog").open) return;
  delete $("dialog").dataset.choosing;
  delete $("dialog").dataset.about;
});
$("dialog").addEventListener("cancel", (event) => {
  if ($("dialog").dataset.choosing) event.preventDefault();
});

// --- Labels of the page itself ---

setText($("skip"), T.skip);
for (const [id, label] of Object.entries(T.landmarks)) $(id)?.setAttribute("aria-label", label);

// --- The link ---

link = connectSeat({
  onDocument: (doc) => {
    notices.get("link")?.remove();
    receive(doc);
  },
  onLost: (attempts) => showNotice("note", attempts < 12 ? T.connection.lost : T.connection.gone, "link"),
  onRefused: () => fill(stage, h("p", { class: "fatal" }, T.connection.used)),
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  if (event.target.closest?.("input:not([type=range]), select, textarea")) return;
  if (event.key === " " && event.target === document.body) pace.skip();
  now.game?.key?.(event);
});
document.addEventListener("visibilitychange", () => pace.skip());
