// Takes the pictures that README.md and docs/ show, of a folder with pages and published sessions (REAL):
// site/README.md has the command.

import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { marked } from 'marked';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, host } from '../host.ts';

const TO = join(import.meta.dirname, '../../../docs/pictures');
const MOST = 1_000_000; // bytes, all together
const QUALITY = 0.45; // words stay sharp, and some thirty pages small
const PAGES: [name: string, hash: string][] = [
  ['overview', '#/overview'],
  ['regressions', '#/inbox'],
  ['trends', '#/trend'],
  ['compare', '#/compare'],
  ['lanes', '#/lanes'],
  ['comparisons', '#/evidence'],
  ['comparison', '#/evidence?id=20261124-110801-ab'],
  ['all-series', '#/matrix'],
  ['health', '#/health'],
];
const LOOKS: [end: string, width: number, dark: boolean][] = [
  ['', 1040, false],
  ['-dark', 1040, true],
  ['-phone', 390, false],
];

const REAL = process.env.REAL ?? ''; // pages, and published sessions
const REPORT = process.env.REPORT ?? ''; // a session's report.html
const TERMINAL = process.env.TERMINAL ?? ''; // what a command printed in 80 columns
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
  own = await host(REAL);
});

afterAll(() => own?.close());

/** Keeps a picture as a file that takes little room; what the page showed before is gone. */
async function small(page: Page, png: Buffer, name: string): Promise<void> {
  await page.goto('about:blank'); // whose policy forbids nothing
  const webp = await page.evaluate(
    async ([data, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality).split(',')[1] ?? '';
    },
    [png.toString('base64'), QUALITY] as const,
  );
  await writeFile(join(TO, `${name}.webp`), Buffer.from(webp, 'base64'));
  await page.close();
}

/** What the page shows on a screen. */
async function keep(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 1040 };
  await page.setViewportSize({ width, height: width < 600 ? 720 : 580 });
  await page.waitForTimeout(300); // charts follow the size
  await small(page, await page.screenshot({ animations: 'disabled' }), name);
}

describe.each(LOOKS)('pictures%s', (end, width, dark) => {
  it.each(PAGES)('%s', async (name, hash) => {
    const { page, complaints } = await own.visit(hash, { width, dark });
    await page.waitForLoadState('networkidle');
    await keep(page, `${name}${end}`);
    expect(complaints).toEqual([]);
  });

  it('session', async () => {
    const { page } = await own.visit('#/overview', { width, dark });
    await page.goto(`file://${REPORT}`);
    await page.waitForSelector('svg.mini');
    await keep(page, `session${end}`);
  });

  it('run', async () => {
    const { page } = await own.visit('#/trend', { width, dark });
    await page.locator('summary#points').click();
    const to = await page.locator('a[href^="#/run"]').first().getAttribute('href');
    const { page: run } = await own.visit(to ?? '', { width, dark });
    await run.locator('h2', { hasText: 'Second by second' }).evaluate((e) => e.scrollIntoView());
    await keep(run, `run${end}`);
  });
});

describe('pictures', () => {
  it('of a terminal', async () => {
    const { page } = await own.visit('#/overview', { width: 1040 });
    await page.goto('about:blank');
    await page.setContent(
      '<style>body { margin: 0; background: #14171a } pre { display: inline-block; margin: 0; padding: 16px; color: #e8e6e1; font: 13px/1.35 "DejaVu Sans Mono", monospace }</style><pre></pre>',
    );
    const text = await readFile(TERMINAL, 'utf8');
    await page.locator('pre').evaluate((pre, said) => {
      pre.textContent = said;
    }, text);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    await small(page, await page.locator('pre').screenshot(), 'terminal');
  });

  it('of a comment', async () => {
    const { page } = await own.visit('#/overview', { width: 1040 });
    await page.goto('about:blank');
    let shown = await marked(await readFile(COMMENT, 'utf8'));
    for (const [emoji, colour] of Object.entries(DOTS)) {
      shown = shown.replaceAll(emoji, `<span style="color: ${colour}">●</span>`);
    }
    await page.setContent(`<style>${GITHUB}</style><main>${shown}</main>`);
    await small(page, await page.locator('main').screenshot(), 'comment');
  });

  it('of a badge', () => copyFile(join(REAL, 'data/badges/all.svg'), join(TO, 'badge.svg')));

  it('take little room', async () => {
    const sizes = await Promise.all(
      (await readdir(TO)).map(async (file) => (await stat(join(TO, file))).size),
    );
    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(MOST);
  });
});
