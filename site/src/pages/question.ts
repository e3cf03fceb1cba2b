// The question of the first page: virtual ÷ platform threads for every app, as one session measured both.

import { driverWords, variantOf, wordsOf } from '../catalog.ts';
import { dot, scaleOf } from '../charts/dots.ts';
import { command } from '../controls.ts';
import { type Estimate, ratio, type Word, word } from '../data/interval.ts';
import { abCommand, type Measured, type Recent } from '../data/session.ts';
import { type Child, h, table } from '../dom.ts';
import { between, day, share } from '../format.ts';
import type { Cell, Now } from '../generated/published.ts';
import { link } from '../state.ts';

const [BASE, OTHER] = ['platform', 'virtual'];

export interface Asked {
  app: string;
  base: { series: string; cell: Cell };
  other: { series: string; cell: Cell };
  pair: [Measured, Measured] | null; // as one session measured both in the same surroundings
  found: Estimate | null;
  why: string; // there is no pair
}

/** Apps that can be launched both ways, as they were measured last. */
export function asked(now: Now, recent: Recent, workload: string, jdk: string): Asked[] {
  const launches = new Map<string, Map<string, { series: string; cell: Cell }>>();
  for (const [series, cell] of Object.entries(now.cells)) {
    const words = wordsOf(now, cell);
    if (!words || cell.workload !== workload || cell.jdk !== jdk) continue;
    const app = variantOf(cell).slice(0, -words.launch.length - 1);
    const key = [app, driverWords(cell), cell.engine, cell.runner, cell.layout].join(' · ');
    const own = launches.get(key) ?? new Map();
    launches.set(key, own.set(words.launch, { series, cell }));
  }
  return [...launches].flatMap(([key, own]): Asked[] => {
    const [base, other] = [own.get(BASE as string), own.get(OTHER as string)];
    if (!base || !other) return [];
    const app = [...launches.keys()].filter((k) => k.split(' · ')[0] === key.split(' · ')[0]);
    const name = app.length > 1 ? key : (key.split(' · ')[0] as string);
    const both = recent.pairs(base.series, other.series);
    const pair = both.find(([a, b]) => recent.apart(a, b).length === 0) ?? null;
    if (pair) return [{ app: name, base, other, pair, found: ratio(...pair), why: '' }];
    const [newest] = both;
    const why = newest
      ? `not comparable, these differ: ${recent
          .apart(...newest)
          .map((d) => d.what)
          .join(', ')}`
      : 'no session measured both';
    return [{ app: name, base, other, pair: null, found: null, why }];
  });
}

const WORDS: Record<Word, string> = {
  better: 'better',
  worse: 'worse',
  alike: 'no clear difference',
  single: 'no interval',
};

/** The word for a ratio, and why there is none where there is none. */
export function says(
  found: Estimate | null,
  a: Measured,
  b: Measured,
): { kind: string; words: string } {
  if (!a.valid || !b.valid) return { kind: 'limited', words: 'limited: see the runs' };
  const kind = word(found, a.better);
  if (kind !== 'single') return { kind, words: WORDS[kind] };
  const once = a.runs < 2 || b.runs < 2;
  return {
    kind,
    words: once
      ? 'one run a side: no interval'
      : 'no interval: zeros among the runs, or a history without intervals',
  };
}

export function verdictOf({ pair, found }: Asked): Word {
  if (!pair) return 'single';
  return pair[0].valid && pair[1].valid ? word(found, pair[0].better) : 'alike';
}

export function question(now: Now, metric: string, own: readonly Asked[]): HTMLElement {
  const scale = scaleOf(
    own.map((a) => a.found),
    1,
  );
  const said = (a: Asked): Child => {
    if (!a.pair) {
      const ab = abCommand(a.base.cell, a.other.cell);
      return h('span', {}, `${a.why}. `, ab ? command(ab) : null);
    }
    const { kind, words } = says(a.found, ...a.pair);
    return h('span', { class: `word ${kind}` }, words);
  };
  return table<Asked>(
    `${now.metrics[metric]?.title ?? metric}: ${OTHER} against ${BASE} threads, and the 95 % confidence interval`,
    [
      {
        title: 'App',
        cell: (a) =>
          h('a', { href: link('compare', { a: a.base.series, b: a.other.series }) }, a.app),
      },
      {
        title: 'less ← same → more',
        cell: (a) =>
          a.pair
            ? dot(
                a.found,
                scale,
                a.pair.every((m) => m.valid) ? verdictOf(a) : 'single',
                a.found ? `${share(a.found.at)} ${between(a.found)}` : 'not known',
              )
            : '',
      },
      { title: 'Change', number: true, cell: (a) => (a.found ? share(a.found.at) : '–') },
      { title: '95 % interval', number: true, cell: (a) => between(a.found) },
      { title: 'Says', long: true, cell: said },
      {
        title: 'Runs',
        number: true,
        cell: (a) => (a.pair ? `${a.pair[1].runs} : ${a.pair[0].runs}` : ''),
      },
      { title: 'Session of', short: true, cell: (a) => (a.pair ? day(a.pair[0].time) : '') },
    ],
    own,
  );
}
