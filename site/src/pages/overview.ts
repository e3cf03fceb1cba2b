// The first page: whether anything is open, the question, and who is fastest.

import { chosenMetric, counted, metricsOf, title } from '../catalog.ts';
import { select } from '../controls.ts';
import { inbox, isOpen } from '../data/events.ts';
import { type Recent, recent } from '../data/session.ts';
import { h } from '../dom.ts';
import { ago, day, many, moment } from '../format.ts';
import type { Now } from '../generated/published.ts';
import { link } from '../state.ts';
import { entryLine } from './inbox.ts';
import { comparable, leaderboard, rankable } from './leaderboard.ts';
import type { Context, View } from './page.ts';
import { asked, question } from './question.ts';

const NEWEST = 3; // entries of the inbox

export async function overview({ store, state, now: today }: Context): Promise<View> {
  const [index, now] = await Promise.all([store.index(), store.now()]);
  const metrics = metricsOf(now);
  const metric = chosenMetric(metrics, state.params.get('metric'));
  const own = await recent(store, now, metric);
  const cells = Object.values(now.cells);
  const usual = usualOf(own);
  const workloads = [...new Set(cells.map((c) => c.workload))].sort();
  const workload = pick(state.params.get('workload'), workloads, usual.workload);
  const jdks = [...new Set(cells.filter((c) => c.workload === workload).map((c) => c.jdk))].sort(
    counted,
  );
  const jdk = pick(state.params.get('jdk'), jdks, usual.jdk);
  const pairs = asked(now, own, workload, jdk);
  const newest = Math.max(...now.standing.map((s) => s.time));
  const sessions = rankable(own, workload, jdk);
  const session =
    sessions.find((s) => s.id === state.params.get('session')) ?? fullest(own, workload, jdk);
  const choices = (all: string[], before = '') => all.map((v) => ({ value: v, words: before + v }));
  const element = h(
    'div',
    {},
    h('h1', {}, pairs.length ? 'Do virtual threads pay?' : 'What was measured'),
    h(
      'p',
      { class: 'lead' },
      `${measures(now, metric)} Only runs of one session in the same surroundings are compared. `,
      `The newest of ${many(index.points, 'point')} is of ${moment(newest)}, ${ago(newest, today)}.`,
    ),
    alarms(now),
    h(
      'p',
      { class: 'controls' },
      select(
        'metric',
        'Metric',
        metrics.map((m) => ({ value: m, words: title(now, m) })),
        metric,
      ),
      workloads.length > 1 ? select('workload', 'Workload', choices(workloads), workload) : null,
      jdks.length > 1 ? select('jdk', 'JDK', choices(jdks), jdk) : null,
    ),
    own.missing.length ? h('p', { class: 'bad' }, `Not loaded: ${own.missing.join('; ')}`) : null,
    pairs.length ? question(now, metric, pairs) : null,
    session ? h('h2', {}, `Which is best on JDK ${jdk}?`) : null,
    session
      ? h(
          'p',
          { class: 'controls' },
          select(
            'session',
            'Session',
            sessions.slice(0, 30).map((s) => ({ value: s.id, words: `${day(s.time)}, ${s.id}` })),
            session.id,
          ),
        )
      : null,
    session
      ? leaderboard(now, own, metric, session, comparable(own, session, workload, jdk))
      : null,
    session
      ? null
      : h(
          'p',
          { class: 'quiet' },
          'No session of the last months measured two that can be ranked.',
        ),
    h(
      'p',
      {},
      h(
        'a',
        { href: link('matrix', { metric }) },
        `All ${many(now.standing.filter((s) => s.metric === metric).length, 'series', 'series')} of this metric, with their history`,
      ),
    ),
  );
  return { title: 'Overview', element };
}

const pick = (asked: string | null, all: readonly string[], usual: string | undefined) =>
  asked !== null && all.includes(asked)
    ? asked
    : usual !== undefined && all.includes(usual)
      ? usual
      : (all[0] ?? '');

/** Workload and JDK of most that the newest session measured. */
function usualOf(own: Recent): { workload?: string; jdk?: string } {
  const counts = new Map<string, number>();
  for (const { cell } of own.sessions[0]?.measured.values() ?? []) {
    const key = `${cell.workload}\n${cell.jdk}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, x], [b, y]) => y - x || counted(b, a));
  const [workload, jdk] = most?.[0].split('\n') ?? [];
  return workload !== undefined && jdk !== undefined ? { workload, jdk } : {};
}

/** The newest of the sessions with nearly the most that can be ranked. */
function fullest(own: Recent, workload: string, jdk: string) {
  const sized = rankable(own, workload, jdk).map((s) => ({
    s,
    size: comparable(own, s, workload, jdk).length,
  }));
  const most = Math.max(0, ...sized.map((e) => e.size));
  return sized.find((e) => e.size * 2 > most)?.s;
}

function measures(now: Now, metric: string): string {
  const systems = [...new Set(Object.values(now.variants).map((v) => v.system))].sort();
  const what = systems.length ? `a service (${systems.join(', ')}) under load` : 'a benchmark';
  const better = now.metrics[metric]?.better === 'bigger' ? 'more' : 'less';
  return `Each run drives ${what} at a fixed arrival rate and measures it from outside; of “${title(now, metric)}”, ${better} is better.`;
}

function alarms(now: Now): HTMLElement {
  const entries = inbox(now);
  if (!entries.length) {
    return now.standing.every((s) => s.values.length < 2)
      ? h(
          'p',
          { class: 'quiet' },
          'Every series is new: one point has nothing to be compared with, so no regression can be seen yet.',
        )
      : h('p', { class: 'good' }, '✓ No regression is open.');
  }
  const open = now.standing.reduce((sum, s) => sum + s.findings.filter(isOpen).length, 0);
  return h(
    'section',
    { class: 'alarms' },
    h('h2', {}, `▲ ${many(open, 'regression is', 'regressions are')} open; what happened last:`),
    h(
      'ul',
      { class: 'entries' },
      ...entries.slice(0, NEWEST).map((entry) => entryLine(now, entry)),
    ),
    h('p', {}, h('a', { href: link('inbox', {}) }, 'All of them, newest first')),
  );
}
