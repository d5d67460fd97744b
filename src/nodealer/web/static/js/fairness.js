// The fairness panel: every shuffle from sent to proven to verified by you, as your own seat has checked it.
import { T, appear, button, fill, h, initial, s, setText, tintClass, toggleClass } from "./kit.js";

const STEPS = ["sent", "proven", "verified"];
/** How many of the steps a proof in each state has reached. */
const REACHED = { verified: 3, own: 2, unproven: 1, false: 1 };
/** The chain of entries is a picture: it does not grow beyond this. */
const CHAIN_MAX = 56;

export function createFairnessPanel(root, { link, state }) {
  const lead = h("p", { class: "lead" }, T.fair.lead);
  const alarm = h("div", { class: "alarm", role: "alert", hidden: true });
  const cheat = h("div", { class: "cheating", hidden: true });
  const title = h("h2", {}, T.fair.shuffles);
  const list = h("ol", { class: "shuffles" });
  const allShuffled = h("p", { class: "order" }, T.fair.order);
  const counts = h("dl", { class: "counts" });
  const addCount = (label, help) => {
    const value = h("dd", {});
    counts.append(h("div", { title: help ?? null }, h("dt", {}, label), value));
    return value;
  };
  const entries = addCount(T.fair.entries);
  const proofs = addCount(T.fair.proofs);
  const size = addCount(T.fair.size);
  const head = addCount(T.fair.head, T.fair.headHelp);
  const chain = h("div", { class: "chain", "aria-hidden": "true" });
  const verdict = h("div", { class: "verdict", role: "status" });
  const save = button(T.fair.save, () => link().send({ type: "save", what: "log" }), { kind: "quiet" });
  const verify = button(T.fair.verify, () => {
    fill(verdict, h("p", {}, T.fair.verifying));
    link().send({ type: "verify" });
  });
  const keys = h("details", { class: "keys" }, h("summary", {}, T.fair.keys));
  const claims = h("details", { class: "claims" });
  // Hidden before there is a table. From then on everything has its place, so that nothing jumps.
  const facts = h("div", { class: "facts", hidden: true }, title, list, allShuffled, h("h2", {}, T.fair.checked), counts, chain, h("div", { class: "row" }, save, verify), verdict, claims, keys);
  const before = h("div", { class: "before" }, h("h2", {}, T.fair.before.title), h("ul", {}, T.fair.before.proven.map((text) => h("li", {}, text))), h("p", {}, T.fair.before.less));
  root.append(alarm, cheat, lead, before, facts);
  let rows = new Map();
  let seated = [];

  function clear() {
    rows = new Map();
    list.replaceChildren();
    toggleClass(allShuffled, "on", false);
    for (const one of seated) rowOf(one.seat, null, one.name);
  }

  /** Return the row of a seat's step. A seat's first step takes the row that was reserved for it. */
  function rowOf(seat, kind, name) {
    const key = `${seat} ${kind}`;
    if (rows.has(key)) return rows.get(key);
    const reserved = rows.get(`${seat} null`);
    if (reserved) {
      rows.delete(`${seat} null`);
      rows.set(key, reserved);
      return reserved;
    }
    const status = h("span", { class: "state" }, T.fair.pending);
    const time = h("span", { class: "time" });
    const dots = STEPS.map((step) => h("span", { class: `dot ${step}` }, checkmark()));
    const element = h(
      "li",
      { class: "shuffle", data: { seat } },
      h("span", { class: `avatar small ${tintClass(seat)}`, "aria-hidden": "true" }, initial(name)),
      h("span", { class: "who" }, h("span", { class: "name" }, name), status),
      h("span", { class: "steps", "aria-hidden": "true" }, dots),
      time,
    );
    list.append(element);
    if (kind) appear(element);
    const row = { element, status, time, dots, proof: null };
    rows.set(key, row);
    return row;
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
        h("summary", {}, T.fair.claims(table.protocol)),
        table.warning ? h("p", { class: "warning" }, table.warning) : null,
        h("ul", {}, table.claims.map(([cheat, seen, named]) => h("li", {}, T.fair.claimed(cheat, seen, named)))),
      );
    },
    working(doc) {
      for (const [seat, kind, doing] of doc.steps) {
        if (!isShuffle(kind)) continue;
        const one = rowOf(seat, kind, state.names(seat));
        if (one.proof) continue;
        setText(one.status, T.fair.doing(doing || kind));
        toggleClass(one.element, "busy", true);
      }
    },
    proof(proof) {
      if (!isShuffle(proof.kind)) return;
      const one = rowOf(proof.seat, proof.kind, proof.name);
      one.proof = proof;
      toggleClass(one.element, "busy", false);
      one.element.title = [proof.means, proof.state === "unproven" ? T.fair.unprovenHelp : ""].filter(Boolean).join("\n");
      setText(one.status, T.fair.state[proof.state]);
      setText(one.time, proof.took === null ? T.bytes(proof.bytes) : `${T.bytes(proof.bytes)} · ${T.duration(proof.took)}`);
      one.dots.forEach((dot, at) => setTimeout(() => toggleClass(dot, "on", at < REACHED[proof.state]), at * 160));
      toggleClass(one.element, "false", proof.state === "false");
      const sent = [...rows.values()].map((row) => row.proof).filter(Boolean);
      toggleClass(allShuffled, "on", sent.length >= state.players() && sent.every((it) => it.state !== "false"));
    },
    log(doc) {
      setText(entries, doc.entries.toLocaleString("en"));
      setText(proofs, doc.proofs.toLocaleString("en"));
      setText(size, T.bytes(doc.bytes));
      setText(head, doc.head);
      while (chain.childElementCount < Math.min(doc.entries, CHAIN_MAX)) chain.append(h("i"));
    },
    cheat(doc) {
      cheat.hidden = false;
      fill(cheat, h("p", {}, T.fair.cheat(doc.name, doc.does)), h("p", {}, T.fair.claim(doc.claim)), doc.came ? h("p", {}, h("strong", {}, T.fair.came(doc.came))) : null);
    },
    fault(doc) {
      alarm.hidden = false;
      fill(alarm, h("h2", {}, T.fair.fault), h("p", {}, T.fair.faultSentence(doc.name, doc.reason)), button(T.fair.evidence, () => link().send({ type: "save", what: "evidence" }), { kind: "quiet" }));
    },
    verdict(doc) {
      const report = doc.report;
      fill(
        verdict,
        h("p", { class: `stamp ${doc.verdict}` }, h("strong", {}, T.verdict[doc.verdict] ?? doc.verdict), ` ${T.verdict.took(doc.took)}`),
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
      for (const value of [entries, proofs, size, head]) setText(value, "–");
    },
  };
}

/** Whether a step of any protocol is its shuffle, by the name of its kind. */
const isShuffle = (kind) => /shuffle|mask|lock|deck|offset|order/.test(kind) && !/key/.test(kind);

function checkmark() {
  return s("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, s("path", { d: "M2.5 6.5 5 9l4.5-6", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" }));
}
