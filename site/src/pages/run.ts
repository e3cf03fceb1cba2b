// A run's record: whether it is valid and why, its numbers, what it was made with, and how to make it again.

import { DataError } from '../data/store.ts';
import { type Child, h, table } from '../dom.ts';
import { moment, value } from '../format.ts';
import type { Now } from '../generated/published.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';

type Anything = Record<string, unknown>;

export async function run({ store, state }: Context): Promise<View> {
  const { params } = state;
  const id = params.get('session') ?? '';
  const month = params.get('month') ?? '';
  const [now, sessions] = await Promise.all([store.now(), store.sessions(month)]);
  const session = sessions.find((s) => s.id === id);
  if (!session) throw new DataError(`there is no session ${id} among those of ${month}`);
  const variant = now.cells[params.get('series') ?? '']?.variant;
  const names = Object.keys(session.runs).sort();
  const likely = names.find((n) => variant !== undefined && n.includes(`+${variant}+`));
  const name = params.get('run') ?? likely ?? names[0];
  if (name === undefined) throw new DataError(`the session ${id} has no run`);
  const record = object(await store.record(month, id, name));
  const element = h(
    'div',
    {},
    h('h1', {}, text(object(record.cell).variant) || name),
    h('p', { class: 'lead' }, `${session.suite}, ${moment(session.time)}, session ${session.id}`),
    validity(record),
    picker(now, state.params, names, name),
    numbers(now, record),
    gates(record),
    provenance(record),
    h(
      'p',
      {},
      'Again: ',
      h('code', {}, `./telar replay ${text(record.run_id)}`),
      ' · ',
      h(
        'a',
        { href: `data/runs/${[month, id, name].map(encodeURIComponent).join('/')}` },
        'the whole record (JSON)',
      ),
    ),
  );
  return { title: `Run ${text(record.run_id)}`, element };
}

function validity(record: Anything): HTMLElement {
  const said = text(record.validity) || 'unknown';
  const failed = list(record.gates).filter((g) => g.verdict === 'fail');
  const words = failed.map((g) => `${text(g.name)}: ${text(g.observed)}`).join('; ');
  return h(
    'p',
    { class: said === 'valid' ? 'good' : 'bad' },
    said === 'valid' ? '✓ valid: every gate passed' : `✗ ${said}${words ? `: ${words}` : ''}`,
  );
}

function picker(now: Now, params: URLSearchParams, names: string[], chosen: string): HTMLElement {
  const to = (name: string) =>
    link('run', {
      session: params.get('session') ?? '',
      month: params.get('month') ?? '',
      series: params.get('series') ?? undefined,
      run: name,
    });
  return h(
    'details',
    {},
    h('summary', {}, `The session's ${names.length} runs`),
    h(
      'ul',
      {},
      ...names.map((n) =>
        h('li', {}, n === chosen ? h('strong', {}, n) : h('a', { href: to(n) }, n)),
      ),
    ),
    Object.keys(now.variants).length === 0 && h('p', {}, 'no variant is known'),
  );
}

function numbers(now: Now, record: Anything): HTMLElement {
  const rows = Object.entries(object(record.metrics));
  const shown = (metric: string, value_: unknown): Child => {
    const number = object(value_).value;
    return typeof number === 'number' ? value(now.metrics[metric], number) : '–';
  };
  return table<[string, unknown]>(
    'Numbers',
    [
      { title: 'Metric', cell: ([metric]) => now.metrics[metric]?.title ?? metric },
      { title: 'Value', number: true, cell: ([metric, v]) => shown(metric, v) },
    ],
    rows,
  );
}

function gates(record: Anything): HTMLElement {
  return table<Anything>(
    'Gates',
    [
      { title: '', cell: (g) => h('span', { class: `badge ${text(g.verdict)}` }, text(g.verdict)) },
      { title: 'Gate', cell: (g) => text(g.name) },
      { title: 'Observed', cell: (g) => text(g.observed) },
      { title: 'Expected', cell: (g) => text(g.expected) },
      { title: 'What to do', cell: (g) => text(g.advice) },
    ],
    list(record.gates),
  );
}

function provenance(record: Anything): HTMLElement {
  const rows: [string, string][] = [];
  const walk = (place: string, value_: unknown) => {
    if (value_ === null || value_ === '' || value_ === undefined) return;
    if (typeof value_ === 'object' && !Array.isArray(value_)) {
      for (const [key, inner] of Object.entries(value_))
        walk(place ? `${place}.${key}` : key, inner);
    } else {
      rows.push([place, Array.isArray(value_) ? value_.map(text).join(' ') : text(value_)]);
    }
  };
  walk('', record.provenance);
  return h(
    'details',
    {},
    h('summary', {}, 'Where it comes from'),
    table<[string, string]>(
      'Provenance',
      [
        { title: 'What', cell: ([what]) => what },
        { title: 'Value', cell: ([, said]) => said },
      ],
      rows,
    ),
  );
}

function object(value_: unknown): Anything {
  return typeof value_ === 'object' && value_ !== null && !Array.isArray(value_)
    ? (value_ as Anything)
    : {};
}

function list(value_: unknown): Anything[] {
  return Array.isArray(value_) ? value_.map(object) : [];
}

function text(value_: unknown): string {
  return typeof value_ === 'string' || typeof value_ === 'number' || typeof value_ === 'boolean'
    ? String(value_)
    : '';
}
