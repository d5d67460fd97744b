// Building blocks for every part of the page and for a game's own table: elements, cards, chips, animations.
import { T } from "./text.js";

export { T };

const SVG = "http://www.w3.org/2000/svg";

/** Create an HTML element. Strings become text, never markup. `on…` attributes are listeners, `data` is the dataset. */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Create an SVG element, in the same way. */
export function s(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  appendAll(element, children);
  return element;
}

function appendAll(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replace an element's children and return the element. */
export function fill(element, ...children) {
  element.replaceChildren();
  appendAll(element, children);
  return element;
}

/** Set an element's text if it has changed, so that screen readers and layout only see real changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function toggleClass(element, name, on) {
  element.classList.toggle(name, Boolean(on));
}

/** Return a game's text, a list of [text, mark] pairs, as nodes. */
export function renderSpans(pieces) {
  return pieces.map(([text, mark]) => {
    if (mark === "card" || mark === "red card") return h("span", { class: mark === "card" ? "c" : "c red" }, text);
    return mark ? h("span", { class: `mark-${mark.replace(" ", "-")}` }, text) : text;
  });
}

export const plainText = (pieces) => pieces.map(([text]) => text).join("");

// --- Cards ---

const SUITS = {
  s: "M0-9C4-3 9 0 9 4.4 9 8 3.6 9.2 1 6 1.4 8.6 2.4 10 4 11H-4C-2.4 10-1.4 8.6-1 6-3.6 9.2-9 8-9 4.4-9 0-4-3 0-9Z",
  h: "M0 10C-4 5-9.4 1.4-9.4-3.6-9.4-9-2.4-10.4 0-5 2.4-10.4 9.4-9 9.4-3.6 9.4 1.4 4 5 0 10Z",
  d: "M0-11C2.4-6.6 4.8-3.4 8 0 4.8 3.4 2.4 6.6 0 11-2.4 6.6-4.8 3.4-8 0-4.8-3.4-2.4-6.6 0-11Z",
  c: "M0-10.4C6-10.4 6-3.6 2.6-2 7-4 10-1 9 3 8 6.6 3 6.4 1 3.6 1.2 7 2.2 9.4 4 11H-4C-2.2 9.4-1.2 7-1 3.6-3 6.4-8 6.6-9 3-10-1-7-4-2.6-2-6-3.6-6-10.4 0-10.4Z",
};

export function cardName(face) {
  return T.card(T.ranks[face[0]] ?? face[0], T.suits[face[1]] ?? "");
}

/** Create a playing card, face up. `face` is rank and suit: "As", "Th". */
export function card(face) {
  const rank = face[0] === "T" ? "10" : face[0];
  const suit = face[1];
  const red = suit === "h" || suit === "d";
  const corner = (turned) =>
    s(
      "g",
      { transform: turned ? "rotate(180 30 42)" : null },
      s("text", { x: 9.5, y: 17, class: rank === "10" ? "rank narrow" : "rank" }, rank),
      s("path", { d: SUITS[suit], transform: "translate(9.5 26) scale(.55)" }),
    );
  return s(
    "svg",
    { class: `card face ${red ? "red" : "black"}`, viewBox: "0 0 60 84", role: "img", "aria-label": cardName(face), data: { face } },
    s("rect", { class: "paper", x: 0.5, y: 0.5, width: 59, height: 83, rx: 6 }),
    corner(false),
    corner(true),
    s("path", { class: "pip", d: SUITS[suit], transform: "translate(33 45) scale(1.55)" }),
  );
}

/** Create a playing card, face down. */
export function cardBack(label = T.hiddenCard) {
  const lines = [];
  for (let at = -60; at <= 90; at += 10) lines.push(`M${at} 0 l84 84 M${at + 84} 0 l-84 84`);
  return s(
    "svg",
    { class: "card back", viewBox: "0 0 60 84", role: "img", "aria-label": label },
    s("rect", { class: "paper", x: 0.5, y: 0.5, width: 59, height: 83, rx: 6 }),
    s("svg", { x: 5, y: 5, width: 50, height: 74, viewBox: "0 0 50 74" }, s("rect", { class: "weave-ground", width: 50, height: 74, rx: 3 }), s("path", { class: "weave", d: lines.join(" ") })),
    s("path", { class: "seal", d: "M30 28 41 42 30 56 19 42Z" }),
    s("path", { class: "seal-heart", d: "M30 36 34.6 42 30 48 25.4 42Z" }),
  );
}

/** Create a chip with its amount beside it. */
export function chips(amount) {
  return h(
    "span",
    { class: "chips" },
    s("svg", { class: "chip", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("circle", { cx: 12, cy: 12, r: 11 }), s("circle", { class: "edge", cx: 12, cy: 12, r: 9.4 }), s("circle", { class: "inner", cx: 12, cy: 12, r: 6 })),
    h("span", { class: "amount" }, amount.toLocaleString("en")),
  );
}

// --- Animations: only transform and opacity, and none for people who turned them off ---

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
let enabled = true;
export const motion = {
  get off() {
    return reducedMotion.matches || !enabled || document.hidden;
  },
  set enabled(value) {
    enabled = value;
  },
};

/** Animate an element from the place of another one to its own. */
export function flyFrom(element, origin, { duration = 320, delay = 0, turn = 0, fade = true } = {}) {
  if (motion.off || !element.isConnected || !origin?.isConnected) return Promise.resolve();
  const a = origin.getBoundingClientRect();
  const b = element.getBoundingClientRect();
  const x = a.left + a.width / 2 - (b.left + b.width / 2);
  const y = a.top + a.height / 2 - (b.top + b.height / 2);
  const start = { transform: `translate(${x}px, ${y}px) rotate(${turn}deg) scale(.7)`, opacity: fade ? 0 : 1 };
  return play(element, [start, { opacity: 1, offset: 0.35 }, { transform: "none", opacity: 1 }], { duration, delay });
}

/** Fade an element in. */
export function appear(element, { duration = 220, delay = 0 } = {}) {
  return play(element, [{ opacity: 0, transform: "translateY(6px) scale(.96)" }, { opacity: 1, transform: "none" }], { duration, delay });
}

/** Turn a card over. */
export function flip(element, { delay = 0, duration = 360 } = {}) {
  return play(element, [{ transform: "rotateY(90deg) translateY(-8px)", opacity: 0.2 }, { transform: "none", opacity: 1 }], { duration, delay });
}

/** Run keyframes, unless animations are off. Resolves when they are done. */
export function play(element, keyframes, { duration, delay = 0 }) {
  if (motion.off || !element.animate) return Promise.resolve();
  return element.animate(keyframes, { duration, delay, easing: "cubic-bezier(.2,.8,.3,1)", fill: "backwards" }).finished.catch(() => {});
}

export const initial = (name) => [...name.trim()][0]?.toUpperCase() ?? "?";
/** Return the class of a seat's colour. */
export const tintClass = (seat) => `tint-${seat % 9}`;

/** Create a text field with a link, and a button that copies it. */
export function linkRow(label, link) {
  const copy = button(T.copy, async () => {
    await navigator.clipboard?.writeText(link).catch(() => {});
    setText(copy.firstChild, T.copied);
  });
  return h("div", { class: "row link" }, h("input", { type: "text", readonly: true, value: link, "aria-label": label, onfocus: (event) => event.target.select() }), copy);
}

/** Create a button. `key` is the key that presses it, `kind` its class. */
export function button(label, onPress, { key = null, kind = "", ...more } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick: onPress, "aria-keyshortcuts": key, ...more }, h("span", {}, label), key ? h("kbd", { "aria-hidden": "true" }, key) : null);
}
