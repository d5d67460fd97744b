// The start page of a tab, before the seat's first document: practise, host, join, the tables stored in this browser; and
// a bar that says who serves this page.
import { T, button, fill, h, setText } from "/static/js/kit.js";
import { createCodeForm, createHostForm, field, nameField, remember } from "/static/tab/form.js";
import { keepVersion } from "/static/tab/version.js";

const W = T.tab;
const $ = (id) => document.getElementById(id);
const linkInAddress = () => location.hash.slice(1) || null;

/** Create the start page. `request` sends a request to the worker, and `receive` gets its answers. */
export function createStartPage(request) {
  const bar = h("p", { class: "served", role: "note" }, (window.isSecureContext ? W.served : W.unencrypted)(location.host));
  document.querySelector("header.bar").after(bar);
  keepVersion(bar);
  let hasLeft = false;
  // The form that waits for the seat's answer.
  let openForm = null;
  const showSheet = (...content) => {
    openForm = null;
    fill($("actions"));
    fill($("stage"), h("div", { class: "sheet" }, h("div", { class: "start tab" }, content)));
  };
  showSheet(h("p", { class: "lead", role: "status" }, W.loading));

  function showMenu() {
    showSheet(
      h("h2", {}, W.title),
      h("p", { class: "lead" }, W.lead),
      h("div", { class: "row" }, button(W.practise, () => request("practise", { name: remember("name") || W.defaultName }), { kind: "primary" }), button(W.host, () => request("offers")), button(W.haveCode, showCodeForm)),
      h("h3", {}, W.tables),
      h("div", { class: "stored-tables" }),
    );
    request("tables");
  }

  function showTables({ tables, stores }) {
    const root = document.querySelector(".stored-tables");
    if (!root) return;
    const fileField = (label, accept, what, help) => {
      const input = h("input", { type: "file", accept, "aria-label": label });
      input.addEventListener("change", async () => {
        const data = await input.files[0].arrayBuffer();
        // So that the same file can be chosen again.
        input.value = "";
        request(what, { data }, [data]);
      });
      return field(label, input, help);
    };
    fill(
      root,
      stores ? null : h("p", { class: "warning" }, W.noStorage),
      tables.length ? h("ul", {}, tables.map(renderTable)) : h("p", {}, W.noTables),
      stores ? fileField(W.import, ".nodealer", "import", W.importHelp) : null,
      fileField(W.read, ".jsonl", "read"),
    );
  }

  function renderTable({ table, name, hosted, at }) {
    const who = hosted ? W.asHost(name) : (name ?? W.spectator);
    const confirm = (event, text, then) => event.target.closest("li").append(h("p", { class: "warning" }, text, " ", button(W.yes, then)));
    return h(
      "li",
      {},
      h("span", {}, W.tableLine(who, new Date(at).toLocaleString())),
      button(W.continue, () => request("resume", { table })),
      button(W.export, (event) => confirm(event, W.exportConfirm, () => request("export", { table })), { kind: "quiet" }),
      button(W.forget, (event) => confirm(event, W.forgetConfirm, () => request("forget", { table })), { kind: "quiet" }),
    );
  }

  function showInvitation({ link, watch, known, stores }) {
    if (known) return join(link, null);
    const name = nameField();
    showSheet(
      h("h2", {}, W.invited),
      h("p", { class: "lead" }, W.lead),
      stores ? null : h("p", { class: "warning" }, W.noStorage),
      watch ? null : field(W.name, name),
      watch ? button(W.watch, () => join(link, null), { kind: "primary" }) : sitButton(name, (typed) => join(link, typed)),
    );
  }

  /** Create the button beside a name field; Enter in the field presses it. */
  function sitButton(name, sit) {
    const press = () => (name.value.trim() ? sit(remember("name", name.value.trim())) : name.focus());
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) press();
    });
    return button(W.sit, press, { kind: "primary" });
  }

  function join(link, name) {
    persistStorage();
    // An error of the last attempt says nothing about this one.
    document.querySelector(".stopped")?.remove();
    request("join", { link, name });
  }

  /** Ask for another name: this one is taken at the table, or not allowed. */
  function showRename(reason) {
    const name = nameField();
    showSheet(
      h("h2", {}, W.rename),
      h("p", { class: "warning", role: "alert" }, W.renameReason(reason)),
      field(W.name, name),
      sitButton(name, (typed) => request("rename", { name: typed })),
    );
    name.focus();
  }

  function showHostForm(offers) {
    showForm(
      createHostForm(offers, showMenu, (wanted) => {
        persistStorage();
        request("host", { wanted });
      }),
    );
  }

  function showCodeForm() {
    showForm(
      createCodeForm(showMenu, (typed) => {
        persistStorage();
        request("code", typed);
      }),
    );
  }

  function showForm(form) {
    showSheet(form.element);
    openForm = form;
  }

  /** Ask the browser not to delete what is stored. */
  function persistStorage() {
    navigator.storage?.persist?.();
  }

  function showFatal({ reason, kind }) {
    if (kind === "name") return showRename(reason);
    if (kind === "error" && openForm) return openForm.refused(reason);
    document.querySelector(".stopped")?.remove();
    const text = (W.stopped[kind] ?? W.stopped.error)({ reason, stores: window.isSecureContext });
    bar.after(h("p", { class: "stopped", role: "alert", "data-kind": kind }, text));
    if (!hasLeft && document.querySelector(".start.tab .lead")) setText(document.querySelector(".start.tab .lead"), "");
  }

  return {
    /** The seat has sent its first document: the page belongs to the table now. */
    leave() {
      hasLeft = true;
      openForm = null;
    },
    receive(data) {
      if (data.is === "ready") linkInAddress() ? request("inspect", { link: linkInAddress() }) : showMenu();
      else if (data.is === "invited") showInvitation(data);
      else if (data.is === "tables") showTables(data);
      else if (data.is === "offers") showHostForm(data);
      else if (data.is === "link") history.replaceState(null, "", data.link.slice(data.link.indexOf("#")));
      else if (data.is === "file") {
        h("a", { href: data.url, download: data.name }).click();
        setTimeout(() => URL.revokeObjectURL(data.url), 10000);
      } else if (data.is === "fatal") showFatal(data);
    },
  };
}
window.addEventListener("hashchange", () => location.reload());
