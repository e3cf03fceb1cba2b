import { describe, expect, it } from 'vitest';
import {
  acceptCommand,
  appOf,
  eventsOf,
  inbox,
  lossOf,
  matching,
  openEvents,
} from '../../src/data/events.ts';
import type { Cell, Now, PublishedFinding, Standing } from '../../src/generated/published.ts';

const moment = (time: number, commit = `${time}`.padStart(40, '0')) => ({ time, commit });

const finding = (time: number, changes: Partial<PublishedFinding> = {}): PublishedFinding => ({
  kind: 'regression', state: 'open', before: moment(time - 1), since: moment(time), decided: moment(time + 4),
  reference: 10, level: 12, evidence: 9, points: 9, reason: '', growth: [], ...changes,
}); // biome-ignore format: short

const standing = (series: string, metric: string, findings: PublishedFinding[], better: 'smaller' | 'bigger' = 'smaller'): Standing => ({
  series, metric, unit: 'ms', better, time: 99, commit: '', origin: 's', validity: 'valid',
  value: 12, reference: 10, level: 12, values: [10, 12], findings, low: null, high: null,
}); // biome-ignore format: short

const cell = (variant: string) =>
  ({
    variant,
    workload: 'w',
    jdk: '25',
    drivers: {},
    engine: 'compose',
    runner: 'r',
  }) as unknown as Cell;
const group = (name: string) => ({
  label: name,
  title: name,
  unit: '',
  better: 'smaller',
  digits: 1,
  matters: null,
  group: name,
});

function now(own: Standing[], more: Partial<Now> = {}): Now {
  return {
    cells: { a: cell('shop-virtual'), b: cell('shop-platform'), c: cell('bank-virtual') },
    variants: Object.fromEntries(
      ['shop-virtual', 'shop-platform', 'bank-virtual'].map((v) => [
        v,
        { system: 'movies', launch: v.split('-')[1] },
      ]),
    ),
    metrics: {
      p50: { ...group('latency') },
      p99: { ...group('latency') },
      throughput: { ...group('throughput') },
    },
    standing: own,
    commits: {},
    ...more,
  } as unknown as Now;
}

describe('the inbox', () => {
  it('has an entry for each commit, app and kind of metric, newest first', () => {
    const own = [
      standing('a', 'p50', [finding(10)]),
      standing('a', 'p99', [finding(10, { level: 20 })]),
      standing('b', 'p99', [finding(10)]),
      standing('c', 'p99', [finding(10)]),
      standing('a', 'throughput', [finding(50, { level: 5 })], 'bigger'),
    ];
    const found = inbox(now(own));
    expect(found.map((e) => [e.time, e.app, e.group, e.events.length])).toEqual([
      [50, 'movies/shop', 'throughput', 1],
      [10, 'movies/shop', 'latency', 3],
      [10, 'movies/bank', 'latency', 1],
    ]);
    expect(found[1]?.events[0]?.to).toBe(20); // the largest loss first
  });

  it('lists each step by which a regression grew under the commit that did it', () => {
    const growth = [
      { before: moment(29), since: moment(30), reference: 12, level: 15 },
      { before: moment(59), since: moment(60), reference: 15, level: 18 },
    ];
    const one = standing('a', 'p50', [finding(10, { level: 18, growth })]);
    expect(
      eventsOf(one, one.findings[0] as PublishedFinding).map((e) => [
        e.kind,
        e.since.time,
        e.from,
        e.to,
      ]),
    ).toEqual([
      ['opened', 10, 10, 12],
      ['grew', 30, 12, 15],
      ['grew', 60, 15, 18],
    ]);
    expect(inbox(now([one])).map((e) => e.time)).toEqual([60, 30, 10]);
  });

  it('leaves out what is over, and improvements', () => {
    const own = [
      finding(1, { state: 'cured' }),
      finding(2, { state: 'accepted' }),
      finding(3, { kind: 'improvement', state: 'seen' }),
    ];
    expect(openEvents(now([standing('a', 'p50', own)]))).toEqual([]);
  });

  it('has the author of the commit, and can be filtered', () => {
    const since = moment(10);
    const commits = {
      [since.commit]: { author: 'Ada', subject: 'Faster', parent: '', branch: 'main' },
    };
    const all = inbox(
      now(
        [
          standing('a', 'p50', [finding(10)]),
          standing('c', 'p50', [finding(20, { state: 'suspected' })]),
        ],
        { commits },
      ),
    );
    expect(matching(all, { owner: 'Ada' }).map((e) => e.subject)).toEqual(['Faster']);
    expect(matching(all, { app: 'movies/bank' })).toHaveLength(1);
    expect(matching(all, { state: 'suspected', group: 'latency' }).map((e) => e.time)).toEqual([
      20,
    ]);
    expect(matching(all, {})).toHaveLength(2);
  });

  it('counts a throughput that halves like a latency that doubles', () => {
    expect(lossOf(100, 50, 'bigger')).toBe(1);
    expect(lossOf(10, 20, 'smaller')).toBe(1);
    expect(lossOf(0, 0, 'smaller')).toBe(0);
  });
});

it('a series of another tool is an app of its own', () => {
  expect(appOf(now([]), 'JSON.parse#big (ns)')).toBe('JSON.parse');
});

it('what is pasted into a shell is one word', () => {
  const [event] = openEvents(now([standing("it's; rm -rf ~", 'p50', [finding(1)])]));
  expect(event && acceptCommand(event)).toBe(
    `./telar accept 'it'\\''s; rm -rf ~' p50 --reason WHY`,
  );
});
