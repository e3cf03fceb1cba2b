// The built pages in Chromium, over a made-up history: what they show, what they ask for, and that nobody is shut out.
// SITE is a folder with pages and data; it is served here as a static host would.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, host, shot, shutOut, tooWide } from '../host.ts';

const SITE = process.env.SITE ?? '';
const PAGES = ['overview', 'trend', 'compare', 'lanes', 'health'];

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
    const box = await page.locator('.u-over').boundingBox();
    if (!box) throw new Error('no chart');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => page.textContent('.hover')).toMatch(/runs/);
    expect(await page.locator('.legend li').count()).toBeGreaterThan(1);
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
    const { said, harmed } = await shown(index.now, JSON.stringify(now), '#/overview');
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
