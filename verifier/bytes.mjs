// Bytes, base64 and UTF-8, read strictly: only what the one encoding writes is taken.
const B64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class Malformed extends Error {}

export function fromBase64(text, size = null) {
  if (typeof text !== 'string' || !B64.test(text)) throw new Malformed('not base64');
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  if (Buffer.from(bytes).toString('base64') !== text) throw new Malformed('base64 that is not canonical');
  if (size !== null && bytes.length !== size) throw new Malformed(`${bytes.length} bytes instead of ${size}`);
  return bytes;
}

export const toBase64 = (bytes) => Buffer.from(bytes).toString('base64');
export const toHex = (bytes) => Buffer.from(bytes).toString('hex');
export const fromHex = (text) => new Uint8Array(Buffer.from(text, 'hex'));

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function fromUtf8(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Malformed('not UTF-8');
  }
}

export const toUtf8 = (text) => encoder.encode(text);

export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const equal = (a, b) => a.length === b.length && Buffer.compare(a, b) === 0;

/** Cut into pieces of 32 bytes. */
export function pieces(bytes, size = 32) {
  if (bytes.length % size) throw new Malformed('not a whole number of pieces');
  const list = [];
  for (let at = 0; at < bytes.length; at += size) list.push(bytes.subarray(at, at + size));
  return list;
}

export function littleEndian(bytes) {
  let number = 0n;
  for (let i = bytes.length - 1; i >= 0; i -= 1) number = (number << 8n) | BigInt(bytes[i]);
  return number;
}
