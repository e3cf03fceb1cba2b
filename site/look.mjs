import { chromium } from 'playwright-core';

const [base, name, ...pages] = process.argv.slice(2);
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const p of pages) {
  const [hash, w = '1280', dark = ''] = p.split('|');
  const page = await b.newPage({
    viewport: { width: +w, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
  });
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log(hash, m.text()));
  page.on('pageerror', (e) => console.log(hash, String(e)));
  const t = Date.now();
  await page.goto(base + hash);
  await page.waitForSelector('main h1');
  console.log(hash, Date.now() - t, 'ms');
  await page.waitForTimeout(400);
  console.log(
    ' wide',
    await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ),
    'tall',
    await page.evaluate(() => document.documentElement.scrollHeight),
  );
  await page.screenshot({
    path: `/tmp/shots/${name}-${hash.replace(/[^a-z0-9]+/gi, '_').slice(0, 40)}-${w}${dark}.png`,
    fullPage: true,
  });
  await page.close();
}
await b.close();
