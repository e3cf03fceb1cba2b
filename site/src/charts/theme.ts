// Colours of the page's own variables, so that charts follow the theme.

const COUNT = 8;

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Of the n-th series. */
export function seriesColor(n: number): string {
  return variable(`--series-${n % COUNT}`) || '#888888';
}

const DASHES: readonly (readonly number[])[] = [[], [8, 3], [2, 3], [10, 3, 2, 3]];

/** Of the n-th series: no two lines differ by colour alone. */
export function seriesDash(n: number): number[] {
  return [...(DASHES[n % DASHES.length] ?? [])];
}

export interface Ink {
  text: string;
  grid: string;
  warn: string;
  page: string;
}

export function ink(): Ink {
  return {
    text: variable('--text-2'),
    grid: variable('--grid'),
    warn: variable('--bad'),
    page: variable('--page'),
  };
}
