// Takes the pictures that README.md and docs/ show, of a folder with pages and published sessions (REAL):
// site/README.md has the command.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, host } from '../host.ts';

const TO = join(import.meta.dirname, '../../../docs/pictures');
const MOST = 1_000_000; // bytes, all together
const WORSE = '#/evidence?id=20261124-110801-ab';
const SHOTS: [name: string, hash: string, how: { width?: number; dark?: boolean }][] = [
  ['overview', '#/overview', {}],
  ['overview-phone-dark', '#/overview', { width: 390, dark: true }],
  ['comparison', WORSE, {}],
  ['comparisons-dark', '#/evidence', { dark: true }],
  ['trends', '#/trend', {}],
  ['compare-dark', '#/compare', { dark: true }],
  ['lanes', '#/lanes', {}],
  ['all-series', '#/matrix', {}],
  ['regressions', '#/inbox', {}],
  ['health', '#/health', {}],
];

let own: Host;

beforeAll(async () => {
  own = await host(process.env.REAL ?? '');
});

afterAll(() => own?.close());

describe('pictures', () => {
  it.each(SHOTS)('%s', async (name, hash, { width = 1040, dark = false }) => {
    const { page, complaints } = await own.visit(hash, { width, dark });
    await page.setViewportSize({ width, height: width < 600 ? 760 : 640 });
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(TO, `${name}.png`), animations: 'disabled' });
    expect(complaints).toEqual([]);
  });

  it('of a run', async () => {
    const { page } = await own.visit('#/trend', { width: 1040 });
    const to = await page.locator('a[href^="#/run"]').first().getAttribute('href');
    const run = await own.visit(to ?? '', { width: 1040 });
    await run.page.locator('h2', { hasText: 'Second by second' }).scrollIntoViewIfNeeded();
    await run.page
      .locator('h2', { hasText: 'Second by second' })
      .evaluate((e) => e.scrollIntoView());
    await run.page.screenshot({ path: join(TO, 'run.png'), animations: 'disabled' });
  });

  it('take little room', async () => {
    const sizes = await Promise.all(
      (await readdir(TO)).map(async (file) => (await stat(join(TO, file))).size),
    );
    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(MOST);
  });
});
