// Before the first document of a seat in this tab: what to begin, which homes there are, and who serves this page.
import { button, fill, h, say } from "/static/js/kit.js";
import { keeping } from "/static/tab/keep.js";
import { W } from "/static/tab/words.js";

const $ = (id) => document.getElementById(id);
const field = (label, control, help) => h("label", { class: "field" }, h("span", {}, label), control, help ? h("small", {}, help) : null);
const link = () => location.hash.slice(1) || null;

function lastName(name) {
  try {
    if (name) localStorage.setItem("nodealer name", name);
    return localStorage.getItem("nodealer name") ?? "";
  } catch {
    return name ?? "";
  }
}

export function beginning(wish) {
  const bar = h("p", { class: "served", role: "note" }, window.isSecureContext ? W.served : W.plain);
  document.querySelector("header.bar").after(bar);
  keeping(bar);
  let began = false;
  const sheet = (...content) => fill($("stage"), h("div", { class: "sheet" }, h("div", { class: "start tab" }, content)));
  sheet(h("p", { class: "lead", role: "status" }, W.loading));

  function menu() {
    const homes = h("div", { class: "homes" });
    sheet(
      h("h2", {}, W.title),
      h("p", { class: "lead" }, W.lead),
      h("div", { class: "row" }, button(W.practise, () => wish("practise", { name: lastName() || "Ada" }), { kind: "primary" }), button(W.host, hosting)),
      h("h3", {}, W.mine),
      homes,
    );
    wish("homes");
  }

  function listed({ homes, stores }) {
    const root = document.querySelector(".homes");
    if (!root) return;
    const file = (label, accept, what) => {
      const input = h("input", { type: "file", accept, "aria-label": label });
      input.addEventListener("change", async () => {
        const data = await input.files[0].arrayBuffer();
        wish(what, { data }, [data]);
      });
      return field(label, input);
    };
    fill(
      root,
      stores ? null : h("p", { class: "warning" }, W.unkept),
      homes.length ? h("ul", {}, homes.map((one) => h("li", {}, h("span", {}, W.table(one)), button(W.open, () => wish("resume", { table: one.table })), button(W.export, (event) => sure(event.target, W.exportSure, () => wish("export", { table: one.table })), { kind: "quiet" }), button(W.forget, (event) => sure(event.target, W.forgetSure, () => wish("forget", { table: one.table })), { kind: "quiet" })))) : h("p", {}, W.none),
      stores ? file(W.import, ".nodealer", "import") : null,
      file(W.read, ".jsonl", "read"),
    );
  }

  function sure(at, text, then) {
    at.closest("li").append(h("p", { class: "warning" }, text, " ", button(W.yes, then)));
  }

  function invited({ link: text, watch, known, stores }) {
    if (known) return join(text, null);
    const name = h("input", { type: "text", value: lastName(), maxlength: 32, autocomplete: "nickname" });
    sheet(
      h("h2", {}, W.invited),
      h("p", { class: "lead" }, W.lead),
      stores ? null : h("p", { class: "warning" }, W.unkept),
      watch ? null : field(W.name, name),
      button(watch ? W.watch : W.sit, () => (watch || name.value.trim() ? join(text, watch ? null : lastName(name.value.trim())) : name.focus()), { kind: "primary" }),
    );
  }

  function join(text, name) {
    navigator.storage?.persist?.();
    wish("join", { link: text, name });
  }

  function hosting() {
    const name = h("input", { type: "text", value: lastName(), maxlength: 32 });
    const relay = h("input", { type: "text", value: "", placeholder: "wss://relay.example", maxlength: 200 });
    const game = h("select", {}, ["holdem", "wardens"].map((one) => h("option", { value: one }, one)));
    const seats = h("input", { type: "number", min: 2, max: 9, value: 3 });
    const hands = h("input", { type: "number", min: 1, max: 10000, value: 10 });
    sheet(
      h("h2", {}, W.host),
      h("div", { class: "fields" }, field(W.name, name), field(W.relay, relay, W.relayHelp), field(W.game, game), field(W.seats, seats), field(W.hands, hands)),
      h("div", { class: "row" }, button(W.back, menu, { kind: "quiet" }), button(W.begin, () => {
        if (!name.value.trim()) return name.focus();
        navigator.storage?.persist?.();
        const page = `${location.origin}${location.pathname === "/" ? "" : location.pathname}`;
        wish("host", { wanted: { name: lastName(name.value.trim()), relay: relay.value.trim(), page, game: game.value, seats: Number(seats.value), hands: Number(hands.value) } });
      }, { kind: "primary" })),
    );
  }

  return {
    over() {
      began = true;
    },
    hear(data) {
      if (data.is === "ready") link() ? wish("look", { link: link() }) : menu();
      else if (data.is === "invited") invited(data);
      else if (data.is === "homes") listed(data);
      else if (data.is === "hosting") history.replaceState(null, "", data.link.slice(data.link.indexOf("#")));
      else if (data.is === "file") {
        h("a", { href: data.url, download: data.name }).click();
        setTimeout(() => URL.revokeObjectURL(data.url), 10000);
      } else if (data.is === "fatal") {
        const text = (W.fatal[data.kind] ?? W.fatal.error)(data.reason);
        document.querySelector(".stopped")?.remove();
        bar.after(h("p", { class: "stopped", role: "alert", "data-kind": data.kind }, text));
        if (!began && document.querySelector(".start.tab .lead")) say(document.querySelector(".start.tab .lead"), "");
      }
    },
  };
}
window.addEventListener("hashchange", () => location.reload());
