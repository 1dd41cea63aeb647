// Arrays that were packed as base64 of little-endian bytes, and numbers.

const TYPES = {u1: Uint8Array, u2: Uint16Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array};

// Unpack "i2:base64", or return an array as it is.
export function unpack(packed) {
  if (typeof packed !== "string") return packed ?? [];
  const text = atob(packed.slice(3)), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new TYPES[packed.slice(0, 2)](bytes.buffer);
}

// Return the rows between which there are gaps, the first counted from 0.
export function rowsOf(gaps) {
  let row = 0;
  return Int32Array.from(unpack(gaps), (gap) => (row += gap));
}

// Return a whole number from 0 to 2^32 - 1 that looks random, for two whole numbers.
export function mix(a, b) {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x165667b1, 0xc2b2ae35);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

export const share = (a, b) => mix(a, b) / 4294967296;

export const count = (number) => number.toLocaleString("en-US");
