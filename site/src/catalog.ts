// Words for what is measured, and the order in which it is named.

import type { Cell, Now } from './generated/published.ts';

export function byOrder(now: Pick<Now, 'metrics'>): (a: string, b: string) => number {
  const place = new Map(Object.keys(now.metrics).map((m, n) => [m, n]));
  const of = (m: string) => place.get(m) ?? place.size;
  return (a, b) => of(a) - of(b) || a.localeCompare(b);
}

export function metricsOf(now: Now): string[] {
  return [...new Set(now.standing.map((s) => s.metric))].sort(byOrder(now));
}

export function preferred(metrics: readonly string[]): string {
  return metrics.find((m) => m === 'p99') ?? metrics[0] ?? '';
}

/** The metric that the address names, if it is one; else the preferred one. */
export function chosenMetric(metrics: readonly string[], asked: string | null): string {
  return asked !== null && metrics.includes(asked) ? asked : preferred(metrics);
}

/** As people name it: `system/variant`, or the variant alone where the system is the default one. */
export const variantOf = (cell: Cell) =>
  cell.system ? `${cell.system}/${cell.variant}` : cell.variant;

export const wordsOf = (now: Pick<Now, 'variants'>, cell: Cell) => now.variants[variantOf(cell)];

export function cellWords(cell: Cell): string {
  return [variantOf(cell), cell.workload, `JDK ${cell.jdk}`, driverWords(cell)]
    .filter(Boolean)
    .join(' · ');
}

export const driverWords = (cell: Cell) =>
  Object.entries(cell.drivers)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

/** In the order in which people count: 9 before 21. */
export const counted = new Intl.Collator('en', { numeric: true }).compare;

export function title(now: Pick<Now, 'metrics'>, metric: string): string {
  return now.metrics[metric]?.title ?? metric;
}
