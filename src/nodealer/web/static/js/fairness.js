// The fairness panel: every shuffle from "sent" to "proven" to "verified by you", from what the seat itself has seen.
import { T, appear, button, fill, h, s, say, spans, tint, initial, flag } from "./kit.js";

const STEPS = ["sent", "proven", "verified"];

export function fairness(root, { link, state }) {
  const lead = h("p", { class: "lead" }, T.fair.lead);
  const alarm = h("div", { class: "alarm", role: "alert", hidden: true });
  const cheat = h("div", { class: "cheating", hidden: true });
  const title = h("h2", {}, T.fair.shuffles);
  const list = h("ol", { class: "shuffles" });
  const known = h("p", { class: "order" }, T.fair.order);
  const counts = h("dl", { class: "counts" });
  const count = (label, help) => {
    const value = h("dd", {});
    counts.append(h("div", { title: help ?? null }, h("dt", {}, label), value));
    return value;
  };
  const entries = count(T.fair.entries(0).replace(/^\d+ /, ""));
  const proofs = count(T.fair.proofs(0).replace(/^\d+ /, ""));
  const size = count(T.fair.size);
  const head = count(T.fair.head, T.fair.headHelp);
  const chain = h("div", { class: "chain", "aria-hidden": "true" });
  const verdict = h("div", { class: "verdict", role: "status" });
  const save = button(T.fair.save, () => link().say({ type: "save", what: "log" }), { kind: "quiet" });
  const verify = button(T.fair.verify, () => {
    fill(verdict, h("p", {}, T.fair.verifying));
    link().say({ type: "verify" });
  });
  const keys = h("details", { class: "keys" }, h("summary", {}, T.fair.keys));
  const claims = h("details", { class: "claims" }, h("summary", {}, T.fair.claims));
  // Nothing of a table before there is one; then a place for all that comes, so that nothing jumps.
  const facts = h("div", { class: "facts", hidden: true }, title, list, known, h("h2", {}, T.fair.checked), counts, chain, h("div", { class: "row" }, save, verify), verdict, claims, keys);
  const before = h("div", { class: "before" }, h("h2", {}, T.fair.before.title), h("ul", {}, T.fair.before.proven.map((text) => h("li", {}, text))), h("p", {}, T.fair.before.less));
  root.append(alarm, cheat, lead, before, facts);
  let rows = new Map();
  let seated = [];

  function clear() {
    rows = new Map();
    list.replaceChildren();
    flag(known, "on", false);
    for (const one of seated) row(one.seat, null, one.name);
  }

  /** The row of a seat's step. The first kind of step that comes takes the row that waits for the seat. */
  function row(seat, kind, name) {
    const key = `${seat} ${kind}`;
    if (rows.has(key)) return rows.get(key);
    const waiting = rows.get(`${seat} null`);
    if (waiting) {
      rows.delete(`${seat} null`);
      rows.set(key, waiting);
      return waiting;
    }
    const status = h("span", { class: "state" }, T.fair.waits);
    const time = h("span", { class: "time" });
    const dots = STEPS.map((step) => h("span", { class: `dot ${step}` }, tick()));
    const element = h(
      "li",
      { class: "shuffle", data: { seat } },
      h("span", { class: `avatar small ${tint(seat)}`, "aria-hidden": "true" }, initial(name)),
      h("span", { class: "who" }, h("span", { class: "name" }, name), status),
      h("span", { class: "steps", "aria-hidden": "true" }, dots),
      time,
    );
    list.append(element);
    if (kind) appear(element);
    const made = { element, status, time, dots, proof: null };
    rows.set(key, made);
    return made;
  }

  clear();
  return {
    clear,
    table(table) {
      seated = table.seats;
      facts.hidden = false;
      before.hidden = true;
      clear();
      fill(keys, h("summary", {}, T.fair.keys), h("dl", {}, table.seats.map((one) => h("div", {}, h("dt", {}, one.name), h("dd", {}, one.key)))));
      fill(
        claims,
        h("summary", {}, `${T.fair.protocol(table.protocol)}: ${T.fair.claims.toLowerCase()}`),
        table.warning ? h("p", { class: "warning" }, table.warning) : null,
        h("ul", {}, table.claims.map(([what, seen, named]) => h("li", {}, `${what}: ${seen}, ${named ? T.fair.named : T.fair.unnamed}`))),
      );
    },
    working(document) {
      const names = state.names;
      for (const [seat, kind, doing] of document.steps) {
        if (!isShuffle(kind)) continue;
        const one = row(seat, kind, names(seat));
        if (one.proof) continue;
        say(one.status, T.fair.doing(doing || kind));
        flag(one.element, "busy", true);
      }
    },
    proof(proof) {
      if (!isShuffle(proof.kind)) return;
      const one = row(proof.seat, proof.kind, proof.name);
      one.proof = proof;
      flag(one.element, "busy", false);
      one.element.title = proof.means;
      const label = { verified: T.fair.verified, own: T.fair.own, unproven: T.fair.unproven, false: T.fair.false }[proof.state];
      say(one.status, label);
      say(one.time, proof.took === null ? T.bytes(proof.bytes) : `${T.bytes(proof.bytes)} · ${T.seconds(proof.took)}`);
      const reached = { verified: 3, own: 2, unproven: 1, false: 1 }[proof.state];
      one.dots.forEach((dot, at) => setTimeout(() => flag(dot, "on", at < reached), at * 160));
      flag(one.element, "false", proof.state === "false");
      const shuffles = [...rows.values()];
      const seats = state.players();
      const done = shuffles.filter((it) => it.proof && it.proof.state !== "false").length;
      flag(known, "on", done >= seats && shuffles.every((it) => !it.proof || it.proof.state !== "false"));
    },
    log(document) {
      say(entries, document.entries.toLocaleString("en"));
      say(proofs, document.proofs.toLocaleString("en"));
      say(size, T.bytes(document.bytes));
      say(head, document.head);
      while (chain.childElementCount < Math.min(document.entries, 56)) chain.append(h("i"));
    },
    cheat(document) {
      cheat.hidden = false;
      fill(cheat, h("p", {}, T.fair.cheat(document.name, document.does)), h("p", {}, T.fair.claim(document.claim)), document.came ? h("p", {}, h("strong", {}, T.fair.came(document.came))) : null);
    },
    fault(document) {
      alarm.hidden = false;
      fill(alarm, h("h2", {}, T.fair.fault), h("p", {}, T.fair.sentence(document.name, document.reason)), button(T.fair.evidence, () => link().say({ type: "save", what: "evidence" }), { kind: "quiet" }));
    },
    verdict(document) {
      const report = document.report;
      fill(
        verdict,
        h("p", { class: `stamp ${document.verdict}` }, h("strong", {}, T.verdict[document.verdict] ?? document.verdict), ` ${T.verdict.took(document.took)}`),
        h("p", {}, T.verdict.sentence(report)),
        report.not_proven?.length ? h("details", {}, h("summary", {}, T.fair.notProven), h("ul", {}, report.not_proven.map((text) => h("li", {}, text)))) : null,
      );
    },
    reset() {
      seated = [];
      facts.hidden = true;
      before.hidden = false;
      clear();
      alarm.hidden = cheat.hidden = true;
      fill(verdict);
      chain.replaceChildren();
      for (const value of [entries, proofs, size, head]) say(value, "–");
    },
  };
}

const isShuffle = (kind) => /shuffle|mask|lock|deck|offset|order/.test(kind) && !/key/.test(kind);

function tick() {
  return s("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, s("path", { d: "M2.5 6.5 5 9l4.5-6", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" }));
}

export { spans };
