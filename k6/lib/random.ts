/** Values that look random and depend on nothing but (seed, index): every arm sees the same ones. */

/** A whole number from 0 to 2³² − 1: murmur3's finalizer, once for the seed and once for the index. */
export function hash(seed: number, index: number): number {
  return scramble(scramble(seed) ^ index);
}

/** A whole number from 0 to size − 1. */
export function pick(seed: number, index: number, size: number): number {
  return Math.floor((hash(seed, index) / 2 ** 32) * size);
}

/** The items in a seeded order (Fisher–Yates). */
export function shuffle<T>(seed: number, items: T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = pick(seed, last, last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

function scramble(value: number): number {
  let bits = (value + 0x9e3779b9) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
