// Before the first document of a seat in this tab: what to begin, which homes there are, and who serves this page.
import { button, fill, h, say } from "/static/js/kit.js";
import { codeForm, field, hostForm, last, nameField } from "/static/tab/form.js";
import { keeping } from "/static/tab/keep.js";
import { W } from "/static/tab/words.js";

const $ = (id) => document.getElementById(id);
const link = () => location.hash.slice(1) || null;

export function beginning(wish) {
  const bar = h("p", { class: "served", role: "note" }, window.isSecureContext ? W.served : W.plain);
  document.querySelector("header.bar").after(bar);
  keeping(bar);
  let began = false;
  // The form that waits for an answer of the seat.
  let waits = null;
  const sheet = (...content) => {
    waits = null;
    fill($("actions"));
    fill($("stage"), h("div", { class: "sheet" }, h("div", { class: "start tab" }, content)));
  };
  sheet(h("p", { class: "lead", role: "status" }, W.loading));

  function menu() {
    const homes = h("div", { class: "homes" });
    sheet(
      h("h2", {}, W.title),
      h("p", { class: "lead" }, W.lead),
      h("div", { class: "row" }, button(W.practise, () => wish("practise", { name: last("name") || "Ada" }), { kind: "primary" }), button(W.host, () => wish("offers")), button(W.haveCode, coded)),
      h("h3", {}, W.mine),
      homes,
    );
    wish("homes");
  }

  function listed({ homes, stores }) {
    const root = document.querySelector(".homes");
    if (!root) return;
    const file = (label, accept, what, help) => {
      const input = h("input", { type: "file", accept, "aria-label": label });
      input.addEventListener("change", async () => {
        const data = await input.files[0].arrayBuffer();
        // The same file again is a choice too.
        input.value = "";
        wish(what, { data }, [data]);
      });
      return field(label, input, help);
    };
    fill(
      root,
      stores ? null : h("p", { class: "warning" }, W.unkept),
      homes.length ? h("ul", {}, homes.map((one) => h("li", {}, h("span", {}, W.table(one)), button(W.open, () => wish("resume", { table: one.table })), button(W.export, (event) => sure(event.target, W.exportSure, () => wish("export", { table: one.table })), { kind: "quiet" }), button(W.forget, (event) => sure(event.target, W.forgetSure, () => wish("forget", { table: one.table })), { kind: "quiet" })))) : h("p", {}, W.none),
      stores ? file(W.import, ".nodealer", "import", W.importHelp) : null,
      file(W.read, ".jsonl", "read"),
    );
  }

  function sure(at, text, then) {
    at.closest("li").append(h("p", { class: "warning" }, text, " ", button(W.yes, then)));
  }

  function invited({ link: text, watch, known, stores }) {
    if (known) return join(text, null);
    const name = nameField();
    sheet(
      h("h2", {}, W.invited),
      h("p", { class: "lead" }, W.lead),
      stores ? null : h("p", { class: "warning" }, W.unkept),
      watch ? null : field(W.name, name),
      watch ? button(W.watch, () => join(text, null), { kind: "primary" }) : sits(name, (called) => join(text, called)),
    );
  }

  /** The button beside a name; Enter in the name presses it. */
  function sits(name, go) {
    const press = () => (name.value.trim() ? go(last("name", name.value.trim())) : name.focus());
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) press();
    });
    return button(W.sit, press, { kind: "primary" });
  }

  function join(text, name) {
    kept();
    // What was wrong with the last try is not wrong with this one.
    document.querySelector(".stopped")?.remove();
    wish("join", { link: text, name });
  }

  /** Somebody has this name at the table already, or nobody may have it. */
  function renamed(reason) {
    const name = nameField();
    sheet(
      h("h2", {}, W.rename),
      h("p", { class: "warning", role: "alert" }, W.renameWhy(reason)),
      field(W.name, name),
      sits(name, (called) => wish("rename", { name: called })),
    );
    name.focus();
  }

  function hosting(offers) {
    const one = hostForm(offers, menu, (wanted) => {
      kept();
      wish("host", { wanted });
    });
    sheet(one.element);
    waits = one;
  }

  function coded() {
    const one = codeForm(menu, (said) => {
      kept();
      wish("code", said);
    });
    sheet(one.element);
    waits = one;
  }

  /** Ask the browser to keep what is stored. */
  function kept() {
    navigator.storage?.persist?.();
  }

  function fatal({ reason, kind }) {
    if (kind === "name") return renamed(reason);
    if (kind === "error" && waits) return waits.refused(reason);
    document.querySelector(".stopped")?.remove();
    bar.after(h("p", { class: "stopped", role: "alert", "data-kind": kind }, (W.fatal[kind] ?? W.fatal.error)(reason)));
    if (!began && document.querySelector(".start.tab .lead")) say(document.querySelector(".start.tab .lead"), "");
  }

  return {
    over() {
      began = true;
      waits = null;
    },
    hear(data) {
      if (data.is === "ready") link() ? wish("look", { link: link() }) : menu();
      else if (data.is === "invited") invited(data);
      else if (data.is === "homes") listed(data);
      else if (data.is === "offers") hosting(data);
      else if (data.is === "hosting") history.replaceState(null, "", data.link.slice(data.link.indexOf("#")));
      else if (data.is === "file") {
        h("a", { href: data.url, download: data.name }).click();
        setTimeout(() => URL.revokeObjectURL(data.url), 10000);
      } else if (data.is === "fatal") fatal(data);
    },
  };
}
window.addEventListener("hashchange", () => location.reload());
