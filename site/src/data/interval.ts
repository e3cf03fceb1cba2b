// What the runs of two sides say of their ratio: an estimate, and where each side has several runs its 95 % confidence
// interval. Runs of a side differ by a factor, so the interval is that of the difference of mean logarithms, for sides
// that may vary differently (Welch, Biometrika 34, 1947).

export interface Sample {
  value: number;
  mean: number | null; // geometric mean of the runs' values; null of a single run, or where it isn't known
  spread: number | null; // standard deviation of their natural logarithms
  runs: number;
}

export interface Estimate {
  at: number;
  low: number | null; // the interval's ends; null where there is none
  high: number | null;
}

/** Other ÷ base. Null where a ratio means nothing. */
export function ratio(base: Sample, other: Sample): Estimate | null {
  const [a, b] = [known(base), known(other)];
  if (!a || !b) {
    return base.value > 0 && other.value >= 0
      ? { at: other.value / base.value, low: null, high: null }
      : null;
  }
  const [va, vb] = [a.spread ** 2 / base.runs, b.spread ** 2 / other.runs];
  const at = Math.log(b.mean / a.mean);
  const freedom =
    (va + vb) ** 2 / (va ** 2 / (base.runs - 1) + vb ** 2 / (other.runs - 1)) || base.runs - 1;
  const half = quantile(freedom) * Math.sqrt(va + vb);
  return { at: Math.exp(at), low: Math.exp(at - half), high: Math.exp(at + half) };
}

/** A side's own mean with its interval. */
export function middle(own: Sample): Estimate {
  const found = known(own);
  if (!found) return { at: own.value, low: null, high: null };
  const half = (quantile(own.runs - 1) * found.spread) / Math.sqrt(own.runs);
  return {
    at: found.mean,
    low: found.mean * Math.exp(-half),
    high: found.mean * Math.exp(half),
  };
}

/** Whether the interval excludes zero: then which way it goes can be said. */
export function sure(found: Estimate | null): boolean {
  return found !== null && found.low !== null && found.high !== null
    ? found.low > 1 || found.high < 1
    : false;
}

export type Word = 'better' | 'worse' | 'alike' | 'single'; // single: a run a side has no interval

export function word(found: Estimate | null, better: 'smaller' | 'bigger'): Word {
  if (found === null || found.low === null) return 'single';
  if (!sure(found)) return 'alike';
  return found.at < 1 === (better === 'smaller') ? 'better' : 'worse';
}

/**
 * Each one's rank: 1 + how many are clearly better than it. Several can share one.
 * `best` says which way is better.
 */
export function ranks(own: readonly Sample[], better: 'smaller' | 'bigger'): number[] {
  return own.map(
    (each) => 1 + own.filter((other) => word(ratio(each, other), better) === 'better').length,
  );
}

function known(own: Sample): { mean: number; spread: number } | null {
  const { mean, spread, runs } = own;
  return mean !== null && mean > 0 && spread !== null && runs > 1 ? { mean, spread } : null;
}

// Student's t at 97.5 %, by degrees of freedom: 1 to 30, then those that are named.
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]; // biome-ignore format: as a table
const BEYOND: readonly (readonly [number, number])[] = [
  [120, 1.98],
  [60, 2],
  [40, 2.021],
];

/** Rounded down to whole degrees of freedom: never too narrow. */
export function quantile(freedom: number): number {
  const whole = Math.max(1, Math.floor(freedom));
  return BEYOND.find(([from]) => whole >= from)?.[1] ?? T[Math.min(whole, T.length) - 1] ?? 12.706;
}
