// The built pages over real records (benchmarks-data/reference/sessions): comparisons, runs, and the five questions that
// a newcomer has. REAL is a folder with pages and the published sessions.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, host, shot, shutOut, tooWide } from '../host.ts';

const REAL = process.env.REAL ?? '';

let own: Host;

beforeAll(async () => {
  own = await host(REAL);
});

afterAll(() => own?.close());

/** Counts clicks: what a question costs. */
async function asked(): Promise<{
  page: Page;
  click: (what: string) => Promise<void>;
  clicks: () => number;
}> {
  const { page } = await own.visit('#/overview');
  let clicks = 0;
  return {
    page,
    clicks: () => clicks,
    click: async (what) => {
      clicks += 1;
      await page.locator(what).first().click();
      await page.waitForSelector('main h1');
    },
  };
}

/** Clicks a point of the chart: the middle of it is near one. */
async function point(page: Page): Promise<void> {
  await page.locator('.u-over').first().click();
  await page.waitForFunction(() => location.hash.startsWith('#/run'));
  await page.waitForSelector('h2');
}

describe('the pages of comparisons', () => {
  it.each([
    ['desk', 1280, false],
    ['phone', 390, true],
  ] as const)('list each verdict and show its figures: %s', async (name, width, dark) => {
    const { page, complaints } = await own.visit('#/evidence', { width, dark });
    const rows = page.locator('main table').first().locator('tbody tr');
    expect(await rows.count()).toBe(67);
    await shot(page, `evidence-${name}`);
    await rows
      .filter({ hasText: '▲ worse' })
      .filter({ hasText: 'allocated' })
      .first()
      .locator('a')
      .click();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.includes('worse'));
    const text = await page.locator('main').innerText();
    for (const words of ['Confidence interval', 'minimum detectable effect', './telar ab'])
      expect(text).toContain(words);
    expect(await page.locator('svg.dots.worse').count()).toBeGreaterThan(0);
    await shot(page, `evidence-one-${name}`);
    expect(await shutOut(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('show a calibration, and name a comparison that was never published', async () => {
    const { page } = await own.visit('#/evidence?calibration=0');
    expect(await page.locator('main caption').first().innerText()).toContain('Noise of');
    const other = await own.visit('#/evidence?id=none');
    expect(await other.page.locator('main').innerText()).toContain('no comparison none');
  });
});

describe('the page on health', () => {
  it.each([
    ['desk', 1280, false],
    ['phone', 390, true],
  ] as const)(
    'tells noise, freshness and how often the detector errs: %s',
    async (name, width, dark) => {
      const { page, complaints } = await own.visit('#/health', { width, dark });
      const captions = await page.locator('main caption').allTextContents();
      for (const what of [
        'Freshness',
        'Noise of spring-mysql-blocking-virtual',
        'Power of the change-point detector',
      ])
        expect(captions.some((text) => text.startsWith(what))).toBe(true);
      const steps = page.locator('table', { hasText: 'Points until reported' }).locator('tbody tr');
      expect(await steps.count()).toBe(4);
      expect(await tooWide(page)).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await shot(page, `health-real-${name}`);
      expect(await shutOut(page)).toEqual([]);
      await page.close();
    },
  );
});

describe('a newcomer asks', () => {
  it('do virtual threads pay? no click', async () => {
    const { page } = await asked();
    expect(await page.textContent('h1')).toBe('Do virtual threads pay?');
    const rows = page.locator('table:has(caption:has-text("confidence interval")) tbody tr');
    expect(await rows.count()).toBe(6); // every app that can be launched both ways
    for (const text of await rows.allTextContents()) {
      expect(text).toMatch(/[+−±] \d+\.\d %.*[+−±] \d+\.\d % to [+−±] \d+\.\d %/);
      // Three runs a side on this machine can't tell a change of p99 of a few percent.
      expect(text).toMatch(/no clear difference|limited/);
    }
    await page.close();
  });

  it('which variant is fastest at p99? no click: ranks within one session, with ties', async () => {
    const { page } = await asked();
    const rows = page.locator('table:has(caption:has-text("best first")) tbody tr');
    expect(await rows.count()).toBe(14);
    const ranks = (await rows.locator('td:first-child').allTextContents()).map(Number);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(ranks.filter((r) => r === 1).length).toBeGreaterThan(1);
    expect(await page.textContent('main')).toMatch(/14 series of one session, .* on Intel/);
    await page.close();
  });

  it('did yesterday’s push hurt anything? no click', async () => {
    const { page } = await asked();
    expect(await page.textContent('main')).toMatch(
      /No regression is open|regressions? (is|are) open/,
    );
    await page.close();
  });

  it('did JDK 27 help virtual threads? one click', async () => {
    const { page, click, clicks } = await asked();
    await click('nav a:has-text("JDKs and drivers")');
    const map = page
      .locator('section:has(caption:has-text("spring-mysql-blocking-virtual"))')
      .first();
    await map.waitFor();
    expect(await map.locator('thead th').allTextContents()).toContain('JDK 27');
    const said = await map.textContent();
    expect(said).toMatch(/5\.67 ms \+ 10\.2 %/); // of JDK 25, in the one session with both
    expect(said).toMatch(/AMD EPYC/);
    // The later one of JDK 25 alone was on another machine: it is named, and never beside the others.
    expect(said).toMatch(/JDK 25.*Not comparable with the others:.*processor Intel.*not AMD/);
    expect(said).toMatch(
      /\.\/telar ab --base jdk=21 --head jdk=27 --only spring-mysql-blocking-virtual/,
    );
    expect(await page.locator('td[class*=better], td[class*=worse]').count()).toBe(0); // single runs
    expect(clicks()).toBe(1);
    await shot(page, 'lanes-real');
    await page.close();
  });

  it('is this number trustworthy, and how do I run it again? its value, and a point', async () => {
    const { page, click, clicks } = await asked();
    await click('main table td a[href*="#/trend"]');
    await page.waitForSelector('.u-over');
    await point(page);
    const said = (await page.textContent('main')) ?? '';
    expect(said).toMatch(
      /✓ valid: every gate passed|⚠ valid, but \d+ gates? warns?|✗ (limited|invalid)/,
    );
    expect(said).toMatch(/\.\/telar replay [0-9a-f]+/);
    expect(clicks() + 1).toBe(2);
    await page.close();
  });
});

describe('a point', () => {
  const series = (jdk: string) =>
    `spring-mysql-blocking-virtual+movies-short+jdk-${jdk}+mysql-9.7.0+compose+two-cpu`;
  const trend = (jdk: string) =>
    `#/trend?${new URLSearchParams({ metric: 'p99', series: series(jdk) })}`;
  const replay = async (jdk: string) => {
    const found = (await places())
      .filter((p) => p.run.includes(`virtual+movies-short+jdk-${jdk}+mysql`))
      .at(0);
    if (!found) throw new Error(`no run on JDK ${jdk}`);
    return JSON.parse(await recordAt(found)).run_id as string;
  };

  it.each(['21', '27'])(
    'of JDK %s opens that run, and its replay line runs that cell',
    async (jdk) => {
      const { page } = await own.visit(trend(jdk));
      await page.waitForSelector('.u-over');
      await point(page);
      const said = (await page.textContent('main')) ?? '';
      expect(said).toContain(`JDK ${jdk}`);
      expect(said).toContain(`./telar replay ${await replay(jdk)}`);
      await page.close();
    },
  );

  it('is reached with keys only', async () => {
    const { page } = await own.visit(trend('21'));
    await page.waitForSelector('.u-over');
    for (let n = 0; n < 60; n++) {
      if (await page.evaluate(() => document.activeElement?.id === 'plot-0')) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.tip').textContent()).toMatch(
      /5\.\d+ ms.*one run: no interval.*valid/,
    );
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.startsWith('#/run'));
    await page.waitForFunction(() => document.title.startsWith('Run '));
    expect(await page.textContent('main')).toContain('JDK 21');
    await page.close();
  });

  it('says what it is at the first tap, and opens at the second', async () => {
    const { page } = await own.visit(trend('27'), { touch: true, width: 390 });
    await page.waitForSelector('.u-over');
    await page.locator('.u-over').tap();
    expect(await page.locator('.tip').textContent()).toMatch(/Open the run/);
    expect(new URL(page.url()).hash).toMatch(/^#\/trend/);
    await page.locator('.u-over').tap();
    await page.waitForFunction(() => location.hash.startsWith('#/run'));
    await page.close();
  });

  it('is a link in its table', async () => {
    const { page } = await own.visit(trend('27'));
    await page.locator('summary#points').click();
    await page
      .locator('table:has(caption:has-text("Points, newest first")) tbody a')
      .first()
      .click();
    await page.waitForFunction(() => document.title.startsWith('Run '));
    expect(await page.textContent('main')).toContain('JDK 27');
    await page.close();
  });
});

describe('a run', () => {
  it.each([
    ['desk', 1280, false],
    ['desk-dark', 1280, true],
    ['phone', 390, false],
    ['phone-dark', 390, true],
  ])('draws its seconds on a %s, and shuts nobody out', async (words, width, dark) => {
    const { page, complaints } = await own.visit(await aRun(), { width, dark });
    await page.waitForSelector('.u-over');
    expect(await page.locator('.u-over').count()).toBeGreaterThanOrEqual(5);
    expect(complaints).toEqual([]);
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    await shot(page, `run-${words}`);
    expect(await shutOut(page)).toEqual([]);
    await page.close();
  });

  it('has its seconds as tables', async () => {
    const { page } = await own.visit(await aRun());
    await page.locator('details:has-text("as a table") summary').first().click();
    const rows = page.locator('details:has-text("as a table") tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBeGreaterThan(5);
    await page.close();
  });

  it('whose gate warns isn’t one of which every gate passed', async () => {
    const warned = (await places()).find((p) =>
      p.run.startsWith('001+quarkus-mongodb-nonblocking-platform'),
    );
    const { page } = await own.visit(`#/run?${new URLSearchParams({ ...warned })}`);
    const said = (await page.textContent('main')) ?? '';
    expect(said).toMatch(/⚠ valid, but 1 gate warns: warm: /);
    expect(said).not.toMatch(/every gate passed/);
    await page.close();
  });

  it('tells markup in a record as text', async () => {
    const { name, content } = await aRecord();
    const evil = '<img src=x onerror="window.harmed = true">';
    const record = JSON.parse(content);
    record.gates[0].observed = evil;
    record.stopped = { phase: 'window', error: evil, hint: evil, logs: { app: evil } };
    own.replaced.set(name, JSON.stringify(record));
    try {
      const { page } = await own.visit(await aRun());
      expect(await page.textContent('main')).toContain('<img src=x');
      expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
      await page.close();
    } finally {
      own.replaced.clear();
    }
  });

  it.each(['{"format": 2', '{"format": 99}', '[]'])('that is none is told: %s', async (content) => {
    const { name } = await aRecord();
    own.replaced.set(name, content);
    try {
      const { page } = await own.visit(await aRun());
      expect(await page.textContent('main')).toMatch(/can’t be shown/);
      await page.close();
    } finally {
      own.replaced.clear();
    }
  });
});

describe('a comparison', () => {
  it('of an Intel and an AMD session says that there is none, and what would be', async () => {
    const name = (launch: string) =>
      `spring-mysql-blocking-${launch}+movies-short+jdk-25+mysql-9.7.0+compose+two-cpu`;
    const sessions = [...new Set((await places()).map((p) => `${p.month}/${p.session}`))].sort();
    const query = {
      a: name('platform'),
      b: name('virtual'),
      sa: sessions[0] ?? '',
      sb: sessions[2] ?? '',
    };
    const { page } = await own.visit(`#/compare?${new URLSearchParams(query)}`);
    const notice = page.locator('.notice');
    expect(await notice.textContent()).toMatch(/Not comparable.*processor.*AMD EPYC.*Intel/s);
    expect(await notice.textContent()).toMatch(
      /\.\/telar ab --base variant=spring-mysql-blocking-platform --head variant=/,
    );
    expect(await page.locator('th:has-text("B against A")').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toMatch(/[▲▼]/);
    await shot(page, 'compare-not-comparable');
    await page.close();
  });

  it('of one session has the interval of each change, and colours what is sure', async () => {
    const { page } = await own.visit('#/compare');
    expect(await page.textContent('main')).toMatch(/✓ Comparable: one session/);
    const switches = page.locator('tr:has-text("context switches")');
    expect(await switches.textContent()).toMatch(/\+ 57\.3 %\+ 49\.1 % to \+ 65\.9 %.*worse/);
    expect(await switches.locator('.word.worse').count()).toBe(1);
    await page.close();
  });

  it.each([
    ['desk', 1280, false],
    ['desk-dark', 1280, true],
    ['phone', 390, false],
    ['phone-dark', 390, true],
  ])(
    'draws distributions and load curves on a %s, and shuts nobody out',
    async (words, width, dark) => {
      const { page, complaints } = await own.visit('#/compare', { width, dark });
      await page.waitForSelector('.u-over');
      expect(await page.locator('.u-over').count()).toBe(3);
      const said = (await page.textContent('main')) ?? '';
      expect(said).toMatch(/platform/);
      expect(said).toMatch(/virtual/);
      expect(complaints).toEqual([]);
      expect(await tooWide(page)).toBeLessThanOrEqual(0);
      await shot(page, `compare-real-${words}`);
      expect(await shutOut(page)).toEqual([]);
      await page.close();
    },
  );

  it('hands a chart over as an image', async () => {
    const { page } = await own.visit('#/compare');
    await page.waitForSelector('.u-over');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Latency by percentile as an image' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('latency-by-percentile.png');
    const content = await readFile(await download.path());
    expect([...content.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(content.length).toBeGreaterThan(5_000);
    if (process.env.SHOTS) await download.saveAs(join(process.env.SHOTS, 'image.png'));
    await page.close();
  });
});

describe('a report in one file', () => {
  const address = `file://${process.env.REPORT}`;

  it.each([
    ['desk', 1280, false],
    ['desk-dark', 1280, true],
    ['phone', 390, false],
    ['phone-dark', 390, true],
  ])('shows its session on a %s, and shuts nobody out', async (words, width, dark) => {
    const { page, complaints } = await own.visit('#/overview', { width, dark });
    complaints.length = 0;
    await page.goto(address);
    await page.waitForSelector('svg.mini');
    expect(new URL(page.url()).hash).toBe('#/session');
    expect(await page.locator('header nav a').allTextContents()).toEqual(['Session', 'Compare']);
    expect(await page.locator('.panels .u-over').count()).toBeGreaterThan(0);
    await shot(page, `session-${words}`);
    expect(await shutOut(page)).toEqual([]);
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('details')) each.open = true;
    });
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('leads to each run and to the comparison, from a folder, and asks for nothing', async () => {
    const { page, complaints, asked: requests } = await own.visit('#/overview');
    complaints.length = 0;
    requests.length = 0;
    await page.goto(address);
    await page.waitForSelector('svg.mini');
    await page.locator('nav a:has-text("all metrics")').click();
    await page.waitForFunction(() => document.activeElement?.id === 'at-metrics');
    const runs = page.locator('table:has(caption:has-text("runs of")) tbody tr');
    expect(await runs.count()).toBeGreaterThan(1);
    await runs.first().locator('a').click();
    await page.waitForSelector('.plot .u-over');
    const said = (await page.textContent('main')) ?? '';
    expect(said).toMatch(/Second by second/);
    expect(said).toMatch(/hardware threads share cores|flags that differ/);
    await page.goto(`${address}#/compare`);
    await page.waitForSelector('.u-over');
    expect(
      requests.filter((url) => url.split('#')[0] !== address && !/^(data|blob):/.test(url)),
    ).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

interface Place {
  month: string;
  session: string;
  run: string;
}

async function places(): Promise<Place[]> {
  const runs = join(REAL, 'data', 'runs');
  const found: Place[] = [];
  for (const month of await readdir(runs)) {
    for (const session of await readdir(join(runs, month))) {
      for (const file of await readdir(join(runs, month, session)))
        found.push({ month, session, run: file.replace(/\.gz$/, '') });
    }
  }
  return found.sort((a, b) => `${a.session}${a.run}`.localeCompare(`${b.session}${b.run}`));
}

async function aPlace(): Promise<Place> {
  const [first] = await places();
  if (!first) throw new Error('there is no real run');
  return first;
}

async function aRun(): Promise<string> {
  const { month, session, run } = await aPlace();
  return `#/run?${new URLSearchParams({ month, session, run })}`;
}

async function aRecord(): Promise<{ name: string; content: string }> {
  const place = await aPlace();
  return { name: place.run, content: await recordAt(place) };
}

async function recordAt({ month, session, run }: Place): Promise<string> {
  const packed = await readFile(join(REAL, 'data', 'runs', month, session, `${run}.gz`));
  return gunzipSync(packed).toString('utf8');
}
