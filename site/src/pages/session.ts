// A session, in its report: what it says, each app's cells beside each other, and every run.

import { phaseBar, ratioBar } from '../charts/bars.ts';
import { checked, type RecordOf } from '../data/record.ts';
import { DataError, type Store } from '../data/store.ts';
import { type Child, h, table } from '../dom.ts';
import { many, NONE } from '../format.ts';
import type { Report, ReportRow, ReportTable } from '../generated/published.ts';
import { monthOf } from '../links.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';
import { arms, Curves, numbers } from './session-curves.ts';
import { groupHead, key, type Run, scroll } from './session-parts.ts';
import { seconds } from './session-seconds.ts';

const SECTIONS = {
  curves: 'latency by rate',
  seconds: 'second by second',
  runs: 'runs',
  metrics: 'all metrics',
};

export async function session({ store, state }: Context): Promise<View> {
  const report = await store.report();
  if (!report) throw new DataError('only the report of a session has this page: telar report');
  const [runs, [verdict]] = await Promise.all([runsOf(store, report), store.findings()]);
  const found = await arms(report, runs);
  const curves = new Curves(report, found);
  const element = h(
    'div',
    {},
    h('h1', {}, report.suite),
    h('p', { class: 'lead' }, report.findings.join(' ')),
    verdict
      ? h(
          'p',
          {},
          'Compared: ',
          h(
            'a',
            { href: link('evidence', { id: verdict.id }) },
            `${verdict.word}, ${verdict.headline}`,
          ),
        )
      : null,
    h(
      'dl',
      { class: 'facts' },
      ...report.facts.map(([name, said]) => h('div', {}, h('dt', {}, name), h('dd', {}, said))),
    ),
    h(
      'nav',
      { 'aria-label': 'Parts of this page' },
      ...Object.entries(SECTIONS).map(([at, words]) =>
        h('a', { href: link('session', { at }) }, words),
      ),
    ),
    ratios(report),
    ...report.tables.map((own) => comparison(report, own)),
    h('ul', { class: 'notes' }, ...report.notes.map((note) => h('li', {}, note))),
    h('h2', { id: 'at-curves', tabindex: -1 }, 'Latency by offered rate'),
    curves.element,
    numbers(report, found),
    h('h2', { id: 'at-seconds', tabindex: -1 }, 'Second by second'),
    seconds(report, runs),
    h('h2', { id: 'at-runs', tabindex: -1 }, 'Runs'),
    listed(report, runs),
    h('h2', { id: 'at-metrics', tabindex: -1 }, 'All metrics'),
    everything(report),
  );
  return {
    title: report.suite,
    element,
    shown: () => {
      curves.draw();
      const at = element.querySelector<HTMLElement>(
        `#at-${CSS.escape(state.params.get('at') ?? '')}`,
      );
      at?.scrollIntoView();
      at?.focus({ preventScroll: true });
    },
    left: () => curves.destroy(),
  };
}

/** All runs of the session, in the order in which they were made. */
async function runsOf(store: Store, report: Report): Promise<Run[]> {
  for (const month of await store.months()) {
    const own = (await store.sessions(month)).find((s) => s.id === report.id);
    if (!own) continue;
    const kept = Object.entries(own.runs);
    const records = await Promise.all(
      kept.map(async ([file, k]) => checked(await store.record(month, report.id, file, k))),
    );
    return records
      .map((record, n) => ({
        file: kept[n]?.[0] ?? '',
        title: titleOf(record, records),
        href: link('run', {
          month: monthOf(own.time),
          session: report.id,
          run: kept[n]?.[0] ?? '',
        }),
        record,
      }))
      .sort((a, b) => a.record.position - b.record.position);
  }
  throw new DataError(`the session ${report.id} isn’t in its own report`);
}

function titleOf(record: RecordOf, all: readonly RecordOf[]): string {
  const { pair } = record;
  if (pair) return `fork ${pair.fork}, window ${pair.window}, side ${pair.side}`;
  return all.some((r) => r.repetition > 1) ? `repetition ${record.repetition}` : '';
}

function heads(report: Report, metrics: readonly string[], units = true): HTMLElement[] {
  return metrics.map((metric) => {
    const own = report.columns[metric];
    const title = own ? `${own.title}; ${own.better} is better` : metric;
    return h(
      'th',
      { scope: 'col', class: 'number', title },
      own?.label ?? metric,
      units && h('small', {}, own?.unit ?? ''),
    );
  });
}

/** Virtual ÷ platform of every app that has both. */
function ratios(report: Report): Child {
  const rows = report.groups.flatMap((group) => {
    const own = group.rows.find((row) => row.kind === 'ratio' && !row.message);
    return own ? [{ group, own }] : [];
  });
  const logs = rows.flatMap(({ own }) =>
    report.ratios.map((m) => Math.abs(Math.log10(own.figures[m]?.ratio || 1))),
  );
  if (!logs.some((size) => size > 0)) return null;
  const most = Math.max(...logs);
  const [first] = rows;
  return h(
    'div',
    {},
    scroll(
      'Ratios',
      h(
        'table',
        { class: 'ratios' },
        h('caption', {}, `${first?.own.label.replace(/^./, (c) => c.toUpperCase())}, all apps`),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'app'),
            h('th', { scope: 'col', class: 'number' }, 'runs'),
            ...heads(report, report.ratios, false),
          ),
        ),
        h(
          'tbody',
          {},
          ...rows.map(({ group, own }) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, `${group.app} `, h('small', {}, group.where)),
              h('td', { class: 'number' }, own.runs),
              ...report.ratios.map((metric) => {
                const figure = own.figures[metric];
                return h(
                  'td',
                  { class: 'number', 'data-metric': metric },
                  figure?.text ?? NONE,
                  figure?.ratio ? ratioBar(figure.ratio, most, figure.text) : null,
                );
              }),
            ),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      'A bar starts at 1× and is as long as the ratio’s logarithm: half and double are equally long.',
    ),
  );
}

function comparison(report: Report, own: ReportTable): HTMLElement {
  const unlike = own.metrics.map((m) => report.columns[m]).filter((c) => c && c.label !== c.title);
  const several = report.groups.some((g) =>
    g.rows.some((r) => own.metrics.some((m) => r.figures[m]?.spread)),
  );
  return h(
    'div',
    {},
    scroll(
      own.title,
      h(
        'table',
        { class: 'comparison' },
        h('caption', {}, own.title),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'threads'),
            h('th', { scope: 'col' }, 'validity'),
            h('th', { scope: 'col', class: 'number' }, 'runs'),
            ...heads(report, own.metrics),
          ),
        ),
        ...report.groups.map((group) =>
          h(
            'tbody',
            {},
            groupHead(group, own.metrics.length + 3),
            ...group.rows.map((row) => line(row, own.metrics)),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      unlike.length > 0 && `${unlike.map((c) => `${c?.label}: ${c?.title}`).join('; ')}. `,
      several && 'Under a number of several runs: the lowest and the highest run.',
    ),
  );
}

function line(row: ReportRow, metrics: readonly string[]): HTMLElement {
  const head = [
    h('th', { scope: 'row' }, row.kind === 'ratio' ? null : key(row.label), row.label),
    h('td', { class: row.validity && row.validity !== 'valid' ? 'bad' : undefined }, row.validity),
    h('td', { class: 'number' }, row.runs),
  ];
  const cells = row.message
    ? [h('td', { class: 'bad message', colspan: metrics.length }, h('span', {}, row.message))]
    : metrics.map((metric) => {
        const figure = row.figures[metric];
        return h(
          'td',
          { class: figure?.bad ? 'number bad' : 'number', 'data-metric': metric },
          figure?.text ?? NONE,
          figure?.spread && h('small', {}, figure.spread),
        );
      });
  return h('tr', { class: row.kind, 'data-cell': row.name }, ...head, ...cells);
}

function listed(report: Report, runs: readonly Run[]): HTMLElement {
  const longest = Math.max(...runs.map(({ record: r }) => r.finished - r.started));
  const names = [...new Set(runs.flatMap(({ record }) => record.timeline.map((p) => p.name)))];
  return h(
    'div',
    {},
    table<Run>(
      `${many(runs.length, 'run')} of ${report.id}`,
      [
        {
          title: 'Run',
          long: true,
          cell: ({ href, record, title }) =>
            h('span', {}, h('a', { href }, wordsOf(record)), title && `, ${title}`),
        },
        {
          title: 'Validity',
          cell: ({ record: r }) =>
            h(
              'span',
              { class: r.validity === 'valid' ? '' : 'bad' },
              r.outcome === 'failed' ? 'failed' : (r.validity ?? ''),
            ),
        },
        { title: 'Gates', long: true, cell: ({ record: r }) => judged(r) },
        {
          title: 'Phases from its start',
          cell: ({ record: r }) =>
            phaseBar(
              r.timeline.map((p) => ({
                name: p.name,
                from: p.start - r.started,
                to: p.end - r.started,
              })),
              longest,
            ),
        },
        {
          title: 'Seconds',
          number: true,
          cell: ({ record: r }) => (r.finished - r.started).toFixed(1),
        },
      ],
      runs,
    ),
    h(
      'details',
      {},
      h('summary', { id: 'phases' }, 'Seconds of each phase'),
      table<Run>(
        'Seconds of each phase',
        [
          {
            title: 'Run',
            long: true,
            cell: ({ record, title }) => [wordsOf(record), title].filter(Boolean).join(', '),
          },
          ...names.map((name) => ({
            title: name,
            number: true,
            cell: ({ record }: Run) => {
              const own = record.timeline.find((p) => p.name === name);
              return own ? (own.end - own.start).toFixed(1) : NONE;
            },
          })),
        ],
        runs,
      ),
    ),
  );
}

const wordsOf = ({ cell }: RecordOf) => [cell.system, cell.variant].filter(Boolean).join('/');

function judged(record: RecordOf): string {
  if (record.stopped) return `failed in ${record.stopped.phase}: ${record.stopped.error}`;
  const gates = record.gates ?? [];
  const unlike = gates.filter((g) => g.verdict !== 'pass');
  if (!unlike.length) return `all ${gates.length} passed`;
  const words = unlike.map(
    (g) => `${g.name} ${g.verdict === 'fail' ? 'fails' : 'warns'}: ${g.observed}`,
  );
  return `${gates.length - unlike.length} of ${gates.length} passed; ${words.join('; ')}`;
}

/** Every metric of every cell: metrics downwards. */
function everything(report: Report): HTMLElement {
  const cells = report.groups.flatMap((g) =>
    g.rows.filter((r) => r.kind === 'cell').map((row) => ({ group: g, row })),
  );
  return h(
    'details',
    {},
    h(
      'summary',
      { id: 'every' },
      `${many(Object.keys(report.columns).length, 'metric')} of ${many(cells.length, 'cell')}`,
    ),
    scroll(
      'All metrics',
      h(
        'table',
        { class: 'every' },
        h('caption', {}, 'All metrics'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['metric', 'unit', 'better'].map((title) => h('th', { scope: 'col' }, title)),
            ...cells.map(({ group, row }) =>
              h(
                'th',
                { scope: 'col', class: 'number' },
                `${group.app} ${row.label} `,
                h('small', {}, group.where),
              ),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          ...Object.entries(report.columns).map(([metric, own]) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, own.title),
              h('td', {}, own.unit),
              h('td', {}, own.better),
              ...cells.map(({ row }) =>
                h(
                  'td',
                  { class: 'number', 'data-cell': row.name, 'data-metric': metric },
                  row.figures[metric]?.text ?? NONE,
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
