// The built pages in Chromium, over a made-up history: what they show, what they ask for, and that nobody is shut out.
// SITE is a folder with pages and data; it is served here as a static host would.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, host, shot, shutOut, tooWide } from '../host.ts';

const SITE = process.env.SITE ?? '';
const PAGES = ['overview', 'inbox', 'trend', 'compare', 'lanes', 'matrix', 'evidence', 'health'];

let own: Host;
const visit: Host['visit'] = (...arguments_) => own.visit(...arguments_);

beforeAll(async () => {
  own = await host(SITE);
});

afterAll(() => own?.close());

describe.each(PAGES)('the page %s', (name) => {
  it.each([
    ['desk', 1280, false],
    ['desk, dark', 1280, true],
    ['phone', 390, false],
    ['phone, dark', 390, true],
  ])('is whole on a %s', async (words, width, dark) => {
    const { page, complaints, asked } = await visit(`#/${name}`, { width, dark });
    await page.waitForTimeout(200);
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(own.base) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
    await shot(page, `${name}-${words.replace(', ', '-')}`);
    await page.close();
  });

  it.each([false, true])('shuts nobody out (dark: %s)', async (dark) => {
    const { page } = await visit(`#/${name}`, { dark });
    expect(await shutOut(page)).toEqual([]);
    await page.close();
  });
});

describe('a newcomer asks', () => {
  it('did JDK 27 help virtual threads? one click', async () => {
    const { page } = await visit('#/overview');
    await page.getByRole('link', { name: 'JDKs and drivers' }).click();
    await page.waitForFunction(() => document.title.startsWith('Lanes'));
    const virtual = page
      .locator('.scroll, figure, section', { hasText: 'spring-mysql-blocking-virtual' })
      .first();
    const said = (await virtual.textContent()) ?? '';
    expect(said).toMatch(/27/); // a lane of it
    expect(said).toMatch(/[+−-]\s?\d+(\.\d+)?\s?%/); // and by how much it differs from the oldest
    await page.close();
  });
});

describe('the trend page', () => {
  it('draws a line for each series and tells the points under the pointer', async () => {
    const { page } = await visit('#/trend');
    const box = await page.locator('.u-over').first().boundingBox();
    if (!box) throw new Error('no chart');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => page.locator('.tip:visible').textContent()).toMatch(/runs/);
    await page.close();
  });

  it('keeps all of its state in the URL', async () => {
    const { page } = await visit('#/trend');
    await page.selectOption('#metric', 'p50');
    await page.waitForFunction(() => location.hash.includes('metric=p50'));
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    await page.waitForFunction(() => location.hash.includes('scale=log'));
    const { page: other } = await visit(new URL(page.url()).hash);
    expect(await other.locator('button[aria-pressed=true]').count()).toBe(1);
    expect(await other.inputValue('#metric')).toBe('p50');
    await page.close();
    await other.close();
  });

  it('has its points as a table', async () => {
    const { page } = await visit('#/trend');
    await page.getByText('points as a table').click();
    const points = page.locator('details', { hasText: 'points as a table' });
    await points.locator('tbody tr').first().waitFor();
    expect(await page.locator('details a[download]').count()).toBe(2);
    await page.close();
  });
});

describe('the trend page keeps where one is', () => {
  const series = async () => {
    const now = await published();
    return now.standing
      .filter((s: { metric: string }) => s.metric === 'p99')
      .map((s: { series: string }) => s.series);
  };
  const few = async () => {
    const query = new URLSearchParams([['metric', 'p99']]);
    for (const name of (await series()).slice(0, 3)) query.append('series', name);
    return `#/trend?${query}`;
  };

  it('a zoom is in the URL, and comes back from it', async () => {
    const { page } = await visit(await few());
    const box = await page.locator('.u-over').boundingBox();
    if (!box) throw new Error('no chart');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => /from=\d+&to=\d+/.test(location.hash));
    const { page: other } = await visit(new URL(page.url()).hash);
    await other.waitForSelector('.u-over');
    expect(new URL(other.url()).hash).toBe(new URL(page.url()).hash);
    await page.close();
    await other.close();
  });

  it('the legend shows a series alone, keeps the focus, and says so in the URL', async () => {
    const { page } = await visit(await few());
    await page.locator('button.entry').nth(1).click();
    await page.waitForFunction(() => location.hash.includes('only='));
    expect(await page.locator('button.entry[aria-pressed=true]').count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('legend-1');
    await page.close();
  });

  it('a choice leaves the focus where it is, and what is folded out open', async () => {
    const { page } = await visit('#/trend');
    await page.locator('#metric').focus();
    await page.selectOption('#metric', 'p50');
    await page.waitForFunction(() => document.title.startsWith('p50'));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('metric');
    await page.locator('summary#series').click();
    await page.locator('#series-2').click();
    await page.waitForFunction(() => location.hash.includes('series='));
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('series-2');
    expect(await page.locator('#series-2').isVisible()).toBe(true);
    await page.close();
  });

  it('series can be narrowed down by what they are', async () => {
    const { page } = await visit('#/trend');
    await page.selectOption('#jdk', '27');
    await page.selectOption('#launch', 'virtual');
    await page.waitForFunction(
      () => location.hash.includes('jdk=27') && location.hash.includes('launch=virtual'),
    );
    await page.waitForFunction(
      () => document.querySelectorAll('figcaption, button.entry').length === 6,
    );
    const shown = await page.locator('figcaption, button.entry').allTextContents();
    for (const title of shown) expect(title).toMatch(/-virtual .*JDK 27/);
    await page.close();
  });

  it('a month that can’t be loaded costs that month only, and is named', async () => {
    own.replaced.set('points/2026-05/p99.', 'no JSON');
    try {
      const { page } = await visit(await few());
      expect(await page.textContent('main')).toMatch(
        /2026-05: data\/points\/2026-05\/p99.*no JSON/,
      );
      expect(await page.locator('.u-over').count()).toBe(1);
      await page.close();
    } finally {
      own.replaced.clear();
    }
  });
});

describe('the inbox', () => {
  it('has the newest ten first, with what to do, within three screens', async () => {
    const { page } = await visit('#/inbox');
    const entries = page.locator('ul.entries > li');
    expect(await entries.count()).toBe(10);
    const times = (await entries.allTextContents()).map(
      (text) => /\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? '',
    );
    expect(times).toEqual([...times].sort().reverse());
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(
      3 * 900,
    );
    expect((await entries.nth(9).boundingBox())?.y).toBeLessThan(900);
    await entries.first().locator('summary').click();
    expect(await entries.first().locator('code').first().textContent()).toMatch(
      /^\.\/telar accept .* --reason WHY$/,
    );
    await page.close();
  });

  it('is filtered by app and by kind of metric, throughput too', async () => {
    const { page } = await visit('#/inbox');
    await page.selectOption('#group', 'throughput');
    await page.waitForFunction(() => location.hash.includes('group=throughput'));
    await page.waitForFunction(() =>
      [...document.querySelectorAll('ul.entries > li')].every((li) =>
        li.textContent?.includes('· throughput'),
      ),
    );
    expect(await page.locator('ul.entries > li').count()).toBeGreaterThan(0);
    await page.close();
  });
});

describe('with keys only', () => {
  it('the link to the content leads there, and not to another page', async () => {
    const { page } = await visit('#/inbox');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    expect(new URL(page.url()).hash).toBe('#/inbox');
    await page.close();
  });
});

describe('a site without anything', () => {
  it.each([
    ['no state', { now: null, points: 0 }],
    ['no point', { points: 0 }],
  ])('says what to do: %s', async (_, changes) => {
    const index = JSON.parse(await readFile(join(SITE, 'data/index.json'), 'utf8'));
    own.replaced.set('data/index.json', JSON.stringify({ ...index, ...changes }));
    try {
      for (const name of ['overview', 'trend']) {
        const { page } = await visit(`#/${name}`);
        expect(await page.textContent('main')).toMatch(
          /Nothing was published yet.*telar run smoke/s,
        );
        expect(await page.textContent('main')).not.toMatch(/days ago|✓/);
        await page.close();
      }
    } finally {
      own.replaced.clear();
    }
  });
});

async function published() {
  const index = JSON.parse(await readFile(join(SITE, 'data/index.json'), 'utf8'));
  return JSON.parse(await readFile(join(SITE, 'data', index.now), 'utf8'));
}

describe('what is broken, foreign or hostile', () => {
  const shown = async (file: string, content: string, hash = '#/trend') => {
    own.replaced.set(file, content);
    try {
      const { page } = await visit(hash);
      const said = await page.textContent('main');
      const harmed = await page.evaluate(() => (window as unknown as { harmed?: boolean }).harmed);
      await page.close();
      return { said, harmed };
    } finally {
      own.replaced.delete(file);
    }
  };

  it.each([
    ['is cut short', '{"format": 1'],
    ['is of another version', '{"format": 7, "months": {}}'],
    ['is no object', '[]'],
    ['is a page', '<!doctype html><script>window.harmed = true</script>'],
  ])('an index that %s is told, with its name', async (_, content) => {
    const { said, harmed } = await shown('data/index.json', content);
    expect(said).toMatch(/data\/index\.json/);
    expect(harmed).toBeUndefined();
  });

  it('markup in names is text', async () => {
    const index = JSON.parse(await readFile(join(SITE, 'data/index.json'), 'utf8'));
    const now = JSON.parse(await readFile(join(SITE, 'data', index.now), 'utf8'));
    const evil = '<img src=x onerror="window.harmed = true">';
    now.standing[0].series = evil;
    now.standing[0].findings = [
      {
        kind: 'regression', state: 'open', before: { time: 1, commit: evil }, since: { time: 2, commit: evil },
        decided: { time: 2, commit: '' }, reference: 1, level: 2, evidence: 9, points: 9, reason: evil,
      },
    ]; // biome-ignore format: short
    now.cells = {};
    const { said, harmed } = await shown(
      index.now,
      JSON.stringify(now),
      `#/matrix?metric=${now.standing[0].metric}`,
    );
    expect(said).toContain('<img src=x');
    expect(harmed).toBeUndefined();
  });

  it('a comparison of sessions without records says so', async () => {
    // A made-up history has points and no record: of the comparison these tests see this, and no chart.
    const { page } = await visit('#/compare');
    expect(await page.textContent('main')).toMatch(/there is no session made-up-/);
    await page.close();
  });

  it('a page that is not there says so', async () => {
    const { page } = await visit('#/constructor');
    expect(await page.textContent('main')).toMatch(/no page constructor/);
    await page.close();
  });
});
