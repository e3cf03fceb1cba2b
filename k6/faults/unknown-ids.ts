// A fault, for `telar sabotage`: the movies that are asked for don't exist.
import { pack, size } from '../lib/ids.ts';
import { setup as discover } from '../scenarios/movies.ts';

export { default, handleSummary, options, touch } from '../scenarios/movies.ts';

export function setup(): ReturnType<typeof discover> {
  const found = discover();
  const nobody = Array.from({ length: size(found.seed) }, (_, n) => String(9_000_000 + n));
  return { ...found, seed: pack(nobody) };
}
