// Frames, H and XOF (docs/spec/log.md, "Bytes").
import { sha512 } from '@noble/hashes/sha2';
import { shake256 } from '@noble/hashes/sha3';
import { concat, toUtf8 } from './bytes.mjs';

function le64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number), true);
  return bytes;
}

const tag = { s: Uint8Array.of(0x73), b: Uint8Array.of(0x62), i: Uint8Array.of(0x69) };

export function frame(item) {
  if (typeof item === 'string') {
    const bytes = toUtf8(item);
    return concat(tag.s, le64(bytes.length), bytes);
  }
  if (typeof item === 'number' || typeof item === 'bigint') return concat(tag.i, le64(item));
  return concat(tag.b, le64(item.length), item);
}

export const framed = (...items) => concat(...items.map(frame));
export const H = (...items) => sha512(framed(...items)).subarray(0, 32);
export const XOF = (size, ...items) => shake256(framed(...items, size), { dkLen: size });
export { sha512, shake256 };
