// What was found by comparing: a list, and a page for each comparison, search, attribution and calibration.

import { cellWords } from '../catalog.ts';
import { dot, type Scale, scaleOf } from '../charts/dots.ts';
import { command } from '../controls.ts';
import type { Estimate } from '../data/interval.ts';
import { DataError } from '../data/store.ts';
import { type Child, type Column, h, table } from '../dom.ts';
import { between, moment, NONE, share, value } from '../format.ts';
import type { Calibration, Evidence, Line, Now } from '../generated/published.ts';
import { commitLink } from '../links.ts';
import { link } from '../state.ts';
import { noise } from './health.ts';
import type { Context, View } from './page.ts';

type Figure = Evidence['figures'][number];

const KINDS: Record<Line['kind'], string> = {
  comparison: 'Comparison',
  search: 'Search for the first bad one',
  attribution: 'Attribution to factors',
};

export async function evidence({ store, state }: Context): Promise<View> {
  const [now, lines] = await Promise.all([store.now(), store.findings()]);
  const calibration = state.params.get('calibration');
  if (calibration !== null) return calibrated(now, Number(calibration));
  const [only] = lines;
  const asked =
    state.params.get('id') ??
    (lines.length === 1 && !now.standing.length ? (only?.id ?? null) : null);
  if (asked === null) return listed(now, lines);
  const line = lines.find((l) => l.id === asked);
  if (!line) throw new DataError(`no comparison ${asked} was published`);
  return found(now, await store.evidence(line));
}

function listed(now: Now, lines: Line[]): View {
  const calibrations = now.floors.calibrations;
  return {
    title: 'Comparisons',
    element: h(
      'div',
      {},
      h('h1', {}, 'Comparisons'),
      h(
        'p',
        { class: 'lead' },
        lines.length
          ? 'Each measured two sides in turns on one machine, and ends in a verdict.'
          : 'None was published yet. ',
        lines.length ? null : command('./telar publish SESSION'),
        lines.length ? null : ' adds a session of telar ab, bisect or attribute.',
      ),
      lines.length > 0 &&
        table<Line>(
          'Comparisons, newest first',
          [
            { title: 'Verdict', cell: (l) => badge(l.word) },
            {
              title: 'What was found',
              long: true,
              cell: (l) => h('a', { href: link('evidence', { id: l.id }) }, l.headline || l.id),
            },
            { title: 'When', short: true, cell: (l) => moment(l.time) },
            { title: 'Kind', cell: (l) => KINDS[l.kind] },
          ],
          lines,
        ),
      calibrations.length > 0 &&
        table<[number, Calibration]>(
          'Calibrations: how noisy a machine is',
          [
            {
              title: 'Of',
              long: true,
              cell: ([n, c]) =>
                h('a', { href: link('evidence', { calibration: String(n) }) }, cellWords(c.cell)),
            },
            { title: 'Measured', short: true, cell: ([, c]) => c.measured },
            { title: 'Pairs', number: true, cell: ([, c]) => c.pairs },
            { title: 'Machine', cell: ([, c]) => c.machine.cpu_model },
          ],
          [...calibrations.entries()],
        ),
    ),
  };
}

function calibrated(now: Now, place: number): View {
  const own = now.floors.calibrations[place];
  if (!own) throw new DataError('this calibration was not published');
  return {
    title: 'Calibration',
    element: h(
      'div',
      {},
      h('h1', {}, `Noise of ${cellWords(own.cell)}`),
      h(
        'p',
        { class: 'lead' },
        'Two identical builds were compared with each other. What differed is noise: no change smaller than that can be seen.',
      ),
      noise(now, own),
    ),
  };
}

function found(now: Now, own: Evidence): View {
  const judged = own.figures.filter((f) => f.word !== '');
  const beside = own.figures.filter((f) => f.word === '');
  return {
    title: own.headline || own.id,
    element: h(
      'div',
      {},
      h('h1', {}, badge(own.word), ` ${own.headline || KINDS[own.kind]}`),
      h('p', { class: 'lead' }, `${KINDS[own.kind]}: ${own.base} → ${own.head}`),
      commits(now, own),
      h(
        'p',
        {},
        `${moment(own.time)}, ${Math.round(own.minutes)} minutes on ${own.machine || 'an unknown machine'}, session ${own.id}.`,
      ),
      own.notes.length > 0 && h('ul', {}, ...own.notes.map((note) => h('li', {}, note))),
      judged.length > 0 && figures(now, own, 'Judged', judged),
      beside.length > 0 &&
        figures(
          now,
          own,
          own.kind === 'attribution' ? 'Factors' : 'Also measured, not judged',
          beside,
        ),
      ...(own.tables ?? []).map(words),
      own.figures.some((f) => f.smallest != null) &&
        h(
          'p',
          { class: 'hint' },
          'Detectable from: the minimum detectable effect, the smallest change that so many pairs would have shown.',
        ),
      h('p', {}, 'Again: ', command(own.command)),
    ),
  };
}

/** Why the sides differ, in the words of telar ab --why. */
function words(own: NonNullable<Evidence['tables']>[number]): HTMLElement {
  const columns = own.heads.map(
    (title, n): Column<readonly string[]> => ({
      title,
      long: n === 0,
      cell: (row) => row[n] ?? '',
    }),
  );
  return table<readonly string[]>(own.title, columns, own.rows);
}

function commits(now: Now, own: Evidence): Child {
  if (!own.base_commit && !own.head_commit) return null;
  return h(
    'p',
    {},
    own.base_commit ? 'Commit ' : 'First bad commit: ',
    own.base_commit ? commitLink(now, own.base_commit) : '',
    own.base_commit && own.head_commit ? ' → ' : '',
    own.head_commit ? commitLink(now, own.head_commit) : '',
  );
}

function figures(now: Now, own: Evidence, caption: string, rows: Figure[]): HTMLElement {
  const several = new Set(rows.map((f) => f.name)).size > 1;
  const any = (of: (f: Figure) => unknown) =>
    rows.some((f) => of(f) !== null && of(f) !== undefined);
  const scale = scaleOf(rows.map(estimate), 1);
  const columns: (Column<Figure> | false)[] = [
    any((f) => f.word || null) && { title: 'Verdict', cell: (f) => badge(f.word) },
    several && {
      title: { comparison: 'Variant', search: 'Candidate', attribution: 'Factor' }[own.kind],
      cell: (f) => f.name,
    },
    { title: 'Metric', long: true, cell: (f) => now.metrics[f.metric]?.title ?? f.metric },
    any((f) => f.base) && {
      title: 'Base → head',
      number: true,
      cell: (f) => `${value(bare(now, f), f.base)} → ${value(now.metrics[f.metric], f.head)}`,
    },
    {
      title: 'Change',
      number: true,
      cell: (f) => (f.effect == null ? NONE : share(1 + f.effect)),
    },
    any((f) => f.low) && {
      title: 'Confidence interval',
      number: true,
      cell: (f) => between(estimate(f)) || NONE,
    },
    any((f) => f.low) && { title: '', cell: (f) => picture(f, scale) },
    any((f) => f.smallest) && {
      title: 'Detectable from',
      number: true,
      cell: (f) => (f.smallest == null ? NONE : `${(f.smallest * 100).toFixed(1)} %`),
    },
    any((f) => f.share) && {
      title: own.kind === 'search' ? 'Certainty' : 'Share',
      number: true,
      cell: (f) => (f.share == null ? NONE : `${(f.share * 100).toFixed(1)} %`),
    },
  ];
  return table<Figure>(
    caption,
    columns.filter((c) => c !== false),
    rows,
  );
}

const bare = (now: Now, f: Figure) => {
  const words = now.metrics[f.metric];
  return words ? { ...words, unit: '' } : undefined;
};

/** As ratios; a change of −100 % has no place on a logarithmic scale. */
function estimate(f: Figure): Estimate | null {
  if (f.effect == null || f.effect <= -1) return null;
  const end = (v: number | null | undefined) => (v == null || v <= -1 ? null : 1 + v);
  return { at: 1 + f.effect, low: end(f.low), high: end(f.high) };
}

function picture(f: Figure, scale: Scale): Child {
  const own = estimate(f);
  return own && dot(own, scale, f.word, `${f.metric}: ${share(own.at)}, ${between(own)}`);
}

const MARKS: Record<string, string> = {
  worse: '▲ worse',
  better: '▼ better',
  bad: '▲ bad',
  good: '✓ good',
  same: '= same',
  undecided: '? undecided',
  found: '✓ found',
};

function badge(word: string): Child {
  return word ? h('span', { class: `badge ${word}` }, MARKS[word] ?? word) : null;
}
