import { hash, pick, shuffle } from '../lib/random.ts';
import { expect } from './expect.ts';

export function randomTests(): void {
  const many = Array.from({ length: 100_000 }, (_, index) => index);

  expect('the same seed and index give the same number', hash(1, 2), hash(1, 2));
  expect('another seed gives other numbers', hash(1, 2) === hash(2, 2), false);
  expect(
    'hashes of one seed are all different',
    new Set(many.map((i) => hash(7, i))).size,
    100_000,
  );

  const picked = many.map((index) => pick(7, index, 10));
  const counts = Array.from({ length: 10 }, (_, n) => picked.filter((found) => found === n).length);
  // Standard deviation of a count: √(100,000 × 0.1 × 0.9) = 95.
  expect(
    'picks are spread evenly',
    counts.every((count) => Math.abs(count - 10_000) < 400),
    true,
  );

  const items = many.slice(0, 100);
  const shuffled = shuffle(7, items);
  expect(
    'a shuffle keeps every item',
    [...shuffled].sort((a, b) => a - b),
    items,
  );
  expect('a shuffle changes the order', shuffled.join() === items.join(), false);
  expect('a shuffle of one seed is always the same', shuffle(7, items), shuffled);
}
