// Numbers and times as they are shown.

import type { Estimate } from './data/interval.ts';
import type { MetricWords } from './generated/published.ts';

export const NONE = '–';

export function value(words: MetricWords | undefined, number: number | null | undefined): string {
  if (number === null || number === undefined) return NONE;
  if (!words) return compact(number);
  const text = number.toLocaleString('en', {
    minimumFractionDigits: words.digits,
    maximumFractionDigits: words.digits,
  });
  return words.unit ? `${text} ${words.unit}` : text;
}

export function compact(number: number): string {
  return number.toLocaleString('en', { maximumSignificantDigits: 4 });
}

export function change(from: number | null | undefined, to: number | null | undefined): string {
  if (!from || to === null || to === undefined) return NONE;
  const share = (to / from - 1) * 100;
  if (Math.abs(share) < 0.05) return '± 0.0 %';
  return `${share > 0 ? '+' : '−'} ${Math.abs(share).toFixed(1)} %`;
}

/** A ratio as a change: + 8.0 %. */
export function share(ratio: number): string {
  return change(1, ratio);
}

/** The interval of a ratio as changes; empty where there is none. */
export function between(found: Estimate | null): string {
  return found?.low == null || found.high == null
    ? ''
    : `${share(found.low)} to ${share(found.high)}`;
}

export function many(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

export function moment(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function ago(seconds: number, now: number): string {
  const hours = (now - seconds) / 3600;
  if (hours < 1) return 'within the hour';
  if (hours < 48) return `${Math.round(hours)} h ago`;
  return `${Math.round(hours / 24)} days ago`;
}

export function commit(hash: string): string {
  return hash ? hash.slice(0, 9) : NONE;
}
