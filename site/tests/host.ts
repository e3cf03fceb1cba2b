// A static host for a built site, under a sub-path as on GitHub Pages, and a browser that looks at it.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PREFIX = '/some/sub-path';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

export interface Visit {
  page: Page;
  complaints: string[];
  asked: string[];
}

export interface How {
  width?: number;
  dark?: boolean;
  touch?: boolean;
}

export interface Host {
  base: string;
  replaced: Map<string, string>; // what is served in place of a file's content
  visit: (hash: string, how?: How) => Promise<Visit>;
  close: () => Promise<void>;
}

export async function host(folder: string): Promise<Host> {
  const replaced = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/'));
    if (!path.startsWith(PREFIX)) {
      response.writeHead(404).end();
      return;
    }
    const inside = path.slice(PREFIX.length) === '/' ? '/index.html' : path.slice(PREFIX.length);
    try {
      const own = [...replaced].find(([name]) => inside.includes(name));
      const content = own ? own[1] : await readFile(join(folder, inside));
      response
        .writeHead(200, { 'content-type': TYPES[extname(inside)] ?? 'text/plain' })
        .end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}/`;
  const browser: Browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });

  const visit = async (hash: string, how: How = {}) => {
    const page = await browser.newPage({
      viewport: { width: how.width ?? 1280, height: 900 },
      colorScheme: how.dark ? 'dark' : 'light',
      hasTouch: how.touch ?? false,
    });
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${base}${hash}`);
    await page.waitForSelector('main h1');
    return { page, complaints, asked };
  };

  const close = async () => {
    await browser.close();
    server.close();
  };
  return { base, replaced, visit, close };
}

/** Pixels by which the page is wider than the screen. */
export async function tooWide(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

/** What axe finds serious or critical. */
export async function shutOut(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe's own global
    const report = await (window as any).axe.run(document);
    return report.violations
      .filter((v: { impact: string }) => ['serious', 'critical'].includes(v.impact))
      .map((v: { id: string; nodes: { html: string }[] }) => `${v.id}: ${v.nodes[0]?.html}`);
  });
}

/** A picture of the page, where SHOTS names a folder for them. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!process.env.SHOTS) return;
  await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}
