// Takes the pictures that README.md and docs/ show, of a folder with pages and published sessions (REAL):
// site/README.md has the command.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { marked } from 'marked';
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

const COMMENT = process.env.COMMENT ?? ''; // a verdict's Markdown
// As GitHub shows a comment, near enough: it is a picture of the words and their order.
const GITHUB = `
  body { margin: 0; background: #fff; font: 14px/1.5 system-ui, sans-serif; color: #1f2328; }
  main { margin: 16px; padding: 8px 16px 16px; border: 1px solid #d1d9e0; border-radius: 6px; }
  h3 { margin: 12px 0 8px; font-size: 18px; }
  table { border-collapse: collapse; margin: 8px 0 16px; }
  th, td { border: 1px solid #d1d9e0; padding: 6px 13px; }
  code { background: #818b981f; border-radius: 6px; padding: 2px 5px; font-size: 12px; }
`;

// In the place of emoji, for which Chromium may have no font.
const DOTS = { '🔴': '#cf222e', '🟢': '#1a7f37', '⚪': '#8c959f', '🟡': '#bf8700' };

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

  it('of a comment', async () => {
    const { page } = await own.visit('#/overview', { width: 1040 });
    await page.goto('about:blank');
    let shown = await marked(await readFile(COMMENT, 'utf8'));
    for (const [emoji, colour] of Object.entries(DOTS)) {
      shown = shown.replaceAll(emoji, `<span style="color: ${colour}">●</span>`);
    }
    await page.setContent(`<style>${GITHUB}</style><main>${shown}</main>`);
    await page.locator('main').screenshot({ path: join(TO, 'comment.png') });
  });

  it('take little room', async () => {
    const sizes = await Promise.all(
      (await readdir(TO)).map(async (file) => (await stat(join(TO, file))).size),
    );
    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(MOST);
  });
});
