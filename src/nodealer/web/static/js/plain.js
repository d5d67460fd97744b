// The table for games that bring none of their own: seats around a felt, your cards by name, moves typed as text.
import { T, button, fill, h, renderSpans } from "./kit.js";
import { Felt } from "./felt.js";

export default function createTable({ root, actions, table, say: send }) {
  const felt = new Felt(root, table.seats, table.you);
  const text = h("div", { class: "table-text" });
  const mine = h("ul", { class: "named", "aria-label": T.plain.yours });
  felt.center.append(text, mine);
  let lastMove = null;
  // When another player moves, the same question is asked again: what you were typing stays.
  let draft = "";
  return {
    update(view) {
      felt.update(view);
      fill(text, view.text.map((pieces) => h("p", {}, renderSpans(pieces))));
      fill(mine, view.mine.map((one) => h("li", {}, one.name)));
    },
    ask(ask) {
      if (!ask || ask.for === "choose") return fill(actions);
      const input = h("input", { type: "text", maxlength: 200, autocomplete: "off", "aria-label": T.plain.typed, placeholder: T.plain.typed, value: draft });
      input.addEventListener("input", () => {
        draft = input.value;
      });
      const form = h("form", { class: "typed" }, h("p", {}, renderSpans(ask.prompt)), h("div", { class: "row" }, input, button(T.plain.go, () => form.requestSubmit(), { kind: "primary" })), h("details", {}, h("summary", {}, T.plain.help), ask.help.map((pieces) => h("p", {}, renderSpans(pieces)))));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        // A question is answered once.
        if (input.disabled || !input.value.trim()) return;
        input.disabled = true;
        draft = "";
        lastMove = { type: "typed", ask: ask.ask, text: input.value.trim() };
        send(lastMove);
      });
      fill(actions, form);
      input.focus();
    },
    sure() {
      if (lastMove) send({ ...lastMove, sure: true });
    },
    refused() {
      const input = actions.querySelector(".typed input");
      if (!input) return;
      input.disabled = false;
      input.focus();
    },
    destroy() {
      felt.destroy();
    },
  };
}
