// Links to a run, to a commit, and to what lies between a commit and the one before it.

import { type Child, h } from './dom.ts';
import { commit as short } from './format.ts';
import type { Cell, CommitWords, Now, Sessions } from './generated/published.ts';
import { link } from './state.ts';

type Row = Sessions['sessions'][number];

export const monthOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 7);

/** `003+variant+workload+…+r1.json` → `variant+workload+…`. */
export function cellName(file: string): string {
  return file.replace(/^\d+\+/, '').replace(/\+r\d+\.json$/, '');
}

/** The files of a session's runs that a series' point is of, in the order of their repetitions. */
export function runsOf(cell: Cell | undefined, series: string, names: Iterable<string>): string[] {
  if (!cell) return [];
  const end = `+${cell.engine}+${cell.runner}`;
  return [...names].filter((name) => `${cellName(name)}${end}` === series).sort();
}

/** Where a series' run of a session is shown; undefined where the session's runs aren't kept, as of another tool's. */
export function runLink(
  now: Now,
  rows: ReadonlyMap<string, Row>,
  series: string,
  session: string,
): string | undefined {
  const row = rows.get(session);
  const cell = now.cells[series];
  if (!row || !runsOf(cell, series, Object.keys(row.runs)).length) return undefined;
  return link('run', { month: monthOf(row.time), session, series });
}

export function byId(rows: Iterable<Row>): Map<string, Row> {
  return new Map([...rows].map((row) => [row.id, row]));
}

/** Only addresses that lead to a web page: what was loaded could name any. */
function web(now: Now): string | null {
  return now.repository && /^https:\/\/[A-Za-z0-9.-]+\/[A-Za-z0-9._/-]+$/.test(now.repository)
    ? now.repository
    : null;
}

const HASH = /^[0-9a-f]{40}$/;

export function commitLink(now: Now, hash: string): Child {
  const base = web(now);
  return base && HASH.test(hash)
    ? h('a', { href: `${base}/commit/${hash}` }, short(hash))
    : short(hash);
}

/** The changes between the last commit that was as before and this one: those that may have done it. */
export function rangeLink(
  now: Now,
  before: string,
  hash: string,
  words: string,
): HTMLElement | null {
  const base = web(now);
  return base && HASH.test(before) && HASH.test(hash) && before !== hash
    ? h('a', { href: `${base}/compare/${before}...${hash}` }, words)
    : null;
}

/** Hash, message and author, as far as they are known. */
export function commitWords(now: Now, hash: string, words: CommitWords | undefined): Child[] {
  const parent = words ? rangeLink(now, words.parent, hash, 'changes') : null;
  return [
    commitLink(now, hash),
    words ? ` ${words.subject}, ${words.author}` : '',
    words?.branch ? ` (${words.branch})` : '',
    parent ? ' · ' : '',
    parent,
  ];
}
