// The log panel: what happened, line by line, with the chat.
import { T, h, initial, plainText, renderSpans, setText, tintClass } from "./kit.js";

const LINES_MAX = 300;
const CHAT_MAX = 280;
/** From this length on, the number of characters left is shown. */
const CHAT_WARN = 200;

export function createLogPanel(root, { link, state }) {
  const list = h("ol", { class: "lines", tabindex: 0, "aria-label": T.tabs.log });
  const input = h("input", { type: "text", maxlength: CHAT_MAX, autocomplete: "off", placeholder: T.log.chat, "aria-label": T.log.chat, "aria-describedby": "chat-help" });
  const left = h("span", { class: "left", "aria-hidden": "true" });
  const form = h("form", { class: "chat" }, input, h("button", { class: "button", type: "submit" }, T.log.send));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text) link().send({ type: "chat", text });
    input.value = "";
    setText(left, "");
  });
  input.addEventListener("input", () => setText(left, input.value.length > CHAT_WARN ? T.log.left(CHAT_MAX - input.value.length) : ""));
  root.append(list, form, h("p", { class: "help", id: "chat-help" }, T.log.chatHelp, " ", left));
  let hand = 0;
  let hasHeading = true;

  /** Add the hand's heading before its first line. Players also begin a hand that is never played, when the game ends. */
  function addHeading() {
    if (!hasHeading) add(h("li", { class: "hand" }, T.hand(hand)));
    hasHeading = true;
  }

  function add(element) {
    const atBottom = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(element);
    while (list.childElementCount > LINES_MAX) list.firstElementChild.remove();
    if (atBottom) list.scrollTop = list.scrollHeight;
  }

  return {
    line(line) {
      if (line.event === "begin") {
        hasHeading = hasHeading && line.data.hand === hand;
        hand = line.data.hand;
        return;
      }
      if (line.event !== "end") addHeading();
      for (const element of renderLine(line, state)) add(element);
    },
    proof(proof) {
      addHeading();
      if (proof.text) add(h("li", { class: "proof" }, proof.text));
    },
    chat(chat) {
      add(h("li", { class: "chat-line" }, h("span", { class: `avatar tiny ${tintClass(chat.seat)}`, "aria-hidden": "true" }, initial(chat.name)), h("b", {}, chat.name), " ", chat.text));
    },
    scrollToNewest() {
      list.scrollTop = list.scrollHeight;
    },
    reset(canChat) {
      hand = 0;
      hasHeading = true;
      list.replaceChildren();
      form.hidden = !canChat;
    },
  };
}

/** Return a line of the log as list items; the replay uses this too. */
export function renderLine(line, state) {
  const name = line.seat === null ? null : line.name;
  return textOf(line).map((pieces, at) => {
    const lead = { board: T.log.board, shows: T.log.shows, void: T.log.void }[line.event];
    const who = name && at === 0 && line.event !== "result" ? h("b", { class: line.seat === state.you() ? "me" : null }, name, " ") : null;
    return h("li", { class: line.event, data: { entry: line.entry ?? "" } }, who, lead ? `${lead} ` : null, renderSpans(pieces));
  });
}

/** Return a line's text: the game's own, or the page's sentence for something the table rules did. */
const textOf = (line) => (line.event === "statement" ? [[[T.log.did[line.data.did] ?? T.log.did.break, null]]] : line.lines);

/** Return a line as plain text, for screen readers. */
export const lineAsText = (line, name) => textOf(line).map((pieces) => `${name ? `${name} ` : ""}${plainText(pieces)}`).join(". ");
