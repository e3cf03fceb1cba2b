// The built pages over real records (benchmarks-data/reference/sessions): comparisons, runs, and the five questions that
// a newcomer has. REAL is a folder with pages and the published sessions.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
        'What the detector',
      ])
        expect(captions.some((text) => text.startsWith(what))).toBe(true);
      const steps = page.locator('table', { hasText: 'Points until told' }).locator('tbody tr');
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
  it('which variant is fastest at p99? one click', async () => {
    const { page, click, clicks } = await asked();
    await click('button:has-text("Best first")');
    await page.waitForFunction(() => location.hash.includes('sort=value'));
    const shown = await page
      .locator('main table')
      .last()
      .locator('tbody tr td:nth-child(7)')
      .allTextContents();
    const values = shown.map((text) => Number.parseFloat(text)).filter((v) => !Number.isNaN(v));
    expect(values.length).toBeGreaterThan(1);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(clicks()).toBe(1);
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
    const map = page.locator('table.heat:has(caption:has-text("spring-mysql-blocking-virtual"))');
    await map.first().waitFor();
    expect(await map.first().locator('thead th').allTextContents()).toContain('JDK 27');
    expect(await map.first().locator('tbody tr td').last().textContent()).toMatch(
      /[+−±] \d+\.\d %/,
    );
    expect(clicks()).toBe(1);
    await shot(page, 'lanes-real');
    await page.close();
  });

  it('is this number trustworthy, and how do I run it again? its value, and a point', async () => {
    const { page, click, clicks } = await asked();
    await click('main table td a[href*="trend"]');
    await page.waitForSelector('.u-over');
    await point(page);
    const said = (await page.textContent('main')) ?? '';
    expect(said).toMatch(/✓ valid: every gate passed|✗ (limited|invalid)/);
    expect(said).toMatch(/\.\/telar replay [0-9a-f]+/);
    expect(clicks() + 1).toBe(2);
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
  it('shows its session’s pages, opened from a folder, and asks nobody for anything', async () => {
    const { page, complaints, asked: requests } = await own.visit('#/overview');
    complaints.length = 0;
    requests.length = 0;
    const address = `file://${process.env.REPORT}`;
    await page.goto(address);
    await page.waitForSelector('main table');
    expect(await page.locator('main table tbody tr').count()).toBeGreaterThan(0);
    await page.goto(`${address}#/compare`);
    await page.waitForSelector('.u-over');
    await page.goto(`${address}#/overview`);
    await page.locator('main table td a[href*="trend"]').first().click();
    await page.waitForSelector('.u-over');
    await point(page);
    expect(await page.textContent('main')).toMatch(/Second by second/);
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
      for (const run of await readdir(join(runs, month, session)))
        found.push({ month, session, run });
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
  const { month, session, run } = await aPlace();
  return {
    name: run,
    content: await readFile(join(REAL, 'data', 'runs', month, session, run), 'utf8'),
  };
}
