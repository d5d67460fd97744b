// What has happened, line by line as the log has it, and chat beside it.
import { T, fill, h, initial, plainText, say, spans, tint } from "./kit.js";

const KEPT = 300;

export function logPanel(root, { link, state }) {
  const list = h("ol", { class: "lines", tabindex: 0, "aria-label": T.tabs.log });
  const input = h("input", { type: "text", maxlength: 280, autocomplete: "off", placeholder: T.log.chat, "aria-label": T.log.chat, "aria-describedby": "chat-help" });
  const left = h("span", { class: "left", "aria-hidden": "true" });
  const form = h("form", { class: "chat" }, input, h("button", { class: "button", type: "submit" }, T.log.send));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text) link().say({ type: "chat", text });
    input.value = "";
    say(left, "");
  });
  input.addEventListener("input", () => say(left, input.value.length > 200 ? T.log.left(280 - input.value.length) : ""));
  root.append(list, form, h("p", { class: "help", id: "chat-help" }, T.log.chatHelp, " ", left));
  let hand = 0;
  let headed = true;

  /** Only when something happens in it: players also begin a hand that cannot be, and then the game is over. */
  function head() {
    if (!headed) add(h("li", { class: "hand" }, T.log.hand(hand)));
    headed = true;
  }

  function add(element) {
    const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(element);
    while (list.childElementCount > KEPT) list.firstElementChild.remove();
    if (bottom) list.scrollTop = list.scrollHeight;
  }

  return {
    line(line) {
      if (line.event === "begin") {
        headed = headed && line.data.hand === hand;
        hand = line.data.hand;
        return;
      }
      if (line.event !== "end") head();
      for (const element of rendered(line, state)) add(element);
    },
    proof(proof) {
      head();
      if (proof.text) add(h("li", { class: "proof" }, proof.text));
    },
    chat(chat) {
      add(h("li", { class: "said" }, h("span", { class: `avatar tiny ${tint(chat.seat)}`, "aria-hidden": "true" }, initial(chat.name)), h("b", {}, chat.name), " ", chat.text));
    },
    /** Comes to be seen: the newest is what one wants to read. */
    open() {
      list.scrollTop = list.scrollHeight;
    },
    reset(chatting) {
      hand = 0;
      headed = true;
      list.replaceChildren();
      form.hidden = !chatting;
    },
  };
}

/** A line of the log as elements, also for a replay. */
export function rendered(line, state) {
  const name = line.seat === null ? null : line.name;
  return told(line).map((pieces, at) => {
    const lead = { board: T.log.board, shows: T.log.shows, void: T.log.void }[line.event];
    const who = name && at === 0 && line.event !== "result" ? h("b", { class: line.seat === state.you() ? "me" : null }, name, " ") : null;
    return h("li", { class: line.event, data: { entry: line.entry ?? "" } }, who, lead ? `${lead} ` : null, spans(pieces));
  });
}

/** What a line says: what came with it, or what the table has stated in the words of the page. */
const told = (line) => (line.event === "statement" ? [[[T.log.did[line.data.did] ?? T.log.did.break, null]]] : line.lines);

export const inWords = (line, name) => told(line).map((pieces) => `${name ? `${name} ` : ""}${plainText(pieces)}`).join(". ");
export { fill };
