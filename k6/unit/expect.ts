import { check } from 'k6';

/** k6 has it; its types leave it to the DOM's, which hold much that k6 hasn't. */
declare const console: { error(text: string): void };

/** A sentence, and whether it is true: what came out is what was to come out. */
export function expect(sentence: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  const kept = check(got, { [sentence]: (value) => value === wanted });
  if (!kept) console.error(`${sentence}: got ${got}, expected ${wanted}`);
}
