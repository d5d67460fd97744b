// The table that every game gets: seats around a felt, the cards of one's own by their names, and moves in words.
import { T, button, fill, h, spans } from "./kit.js";
import { Felt } from "./felt.js";

export default function table({ root, actions, table: agreed, say: tell }) {
  const felt = new Felt(root, agreed.seats, agreed.you);
  const text = h("div", { class: "told" });
  const mine = h("ul", { class: "named", "aria-label": T.plain.yours });
  felt.center.append(text, mine);
  let last = null;
  // What is being typed stays when the same is asked again, because another player has moved meanwhile.
  let draft = "";
  return {
    update(view) {
      felt.update(view);
      fill(text, view.text.map((pieces) => h("p", {}, spans(pieces))));
      fill(mine, view.mine.map((one) => h("li", {}, one.name)));
    },
    ask(ask) {
      if (!ask || ask.for === "choose") return fill(actions);
      const input = h("input", { type: "text", maxlength: 200, autocomplete: "off", "aria-label": T.plain.typed, placeholder: T.plain.typed, value: draft });
      input.addEventListener("input", () => {
        draft = input.value;
      });
      const form = h("form", { class: "typed" }, h("p", {}, spans(ask.prompt)), h("div", { class: "row" }, input, button(T.plain.go, () => form.requestSubmit(), { kind: "primary" })), h("details", {}, h("summary", {}, "?"), ask.help.map((pieces) => h("p", {}, spans(pieces)))));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        // Nobody answers twice.
        if (input.disabled || !input.value.trim()) return;
        input.disabled = true;
        draft = "";
        last = { type: "typed", ask: ask.ask, text: input.value.trim() };
        tell(last);
      });
      fill(actions, form);
      input.focus();
    },
    sure() {
      if (last) tell({ ...last, sure: true });
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
