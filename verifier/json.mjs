// JSON that stands in a log: one encoding, fields in their order, nothing left out, nothing besides.
import { Malformed } from './bytes.mjs';

export const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

/** The value of canonical JSON text: what is written again is, letter for letter, the same. */
export function canonical(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed('not JSON');
  }
  if (JSON.stringify(value) !== text) throw new Malformed('JSON that is not canonical');
  if (!text.isWellFormed?.() && /[\ud800-\udfff]/.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))) throw new Malformed('half a character');
  if (/\\ud[89a-f]/i.test(text)) throw new Malformed('half a character');
  return value;
}

// Schemas are functions that raise Malformed or return nothing.
export const integer = (min = 0, max = INTEGER_MAX) => (value) => {
  if (!Number.isSafeInteger(value) || value < min || value > max) throw new Malformed('not an integer of this range');
};
export const text = (min = 0, max = Infinity) => (value) => {
  if (typeof value !== 'string' || value.length < min || value.length > max) throw new Malformed('not a text');
};
export const literal = (...values) => (value) => {
  if (!values.includes(value)) throw new Malformed('another word');
};
export const list = (item, min = 0, max = Infinity) => (value) => {
  if (!Array.isArray(value) || value.length < min || value.length > max) throw new Malformed('not such a list');
  value.forEach(item);
};
export const tuple = (...items) => (value) => {
  if (!Array.isArray(value) || value.length !== items.length) throw new Malformed('not such a list');
  items.forEach((item, i) => item(value[i]));
};
export const nullable = (item) => (value) => {
  if (value !== null) item(value);
};
export const bool = (value) => {
  if (typeof value !== 'boolean') throw new Malformed('neither true nor false');
};
export const fields = (shape) => (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Malformed('not an object');
  const names = Object.keys(shape);
  const given = Object.keys(value);
  if (names.length !== given.length || names.some((name, i) => name !== given[i])) throw new Malformed('other fields');
  for (const name of names) shape[name](value[name]);
};
/** One of several objects, told apart by their field `type`, which comes first. */
export const tagged = (shapes) => (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Malformed('not an object');
  const shape = Object.hasOwn(shapes, value.type) ? shapes[value.type] : null;
  if (shape === null) throw new Malformed('an unknown type');
  fields({ type: text(), ...shape })(value);
};

export function read(schema, source) {
  const value = canonical(source);
  schema(value);
  return value;
}
