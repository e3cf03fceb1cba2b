// How fast the pages are over a long history, beside github-action-benchmark's own page over the same points.
//
//   node tests/measure/load.mjs OURS [THEIRS] [--times 5]
//
// OURS and THEIRS are addresses; both are opened cold (an empty cache, a new browser context), in turns. THEIRS is
// its own page with its own data.js (telar export github-action-benchmark makes its points); its chart library,
// which it takes from a content network, is answered from CHARTJS, a file. Sizes are those on the wire. Of a history
// of a single metric and as many series as a trend opens with, "all years" and THEIRS show the same.

import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const [ours, theirs] = process.argv.slice(2).filter((word) => word.startsWith('http'));
const times = Number(process.argv[process.argv.indexOf('--times') + 1]) || 5;
const chart = process.env.CHARTJS ? await readFile(process.env.CHARTJS) : null;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-precise-memory-info'],
});

async function open(address, ready, more = async () => ({})) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', (event) => {
    bytes += event.encodedDataLength;
  });
  // Only where it is needed: a route holds up every request of its page, those that it lets pass, too.
  if (address === theirs)
    await page.route(/^(?!http:\/\/127\.0\.0\.1)/, (route) =>
      chart ? route.fulfill({ body: chart, contentType: 'text/javascript' }) : route.abort(),
    );
  const start = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(ready, undefined, { polling: 10, timeout: 300_000 });
  const seconds = (performance.now() - start) / 1000;
  const before = bytes;
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
  const found = {
    paint: paint / 1000,
    ready: seconds,
    kB: before / 1000,
    MB: heap,
    ...(await more(page)),
  };
  await context.close();
  return found;
}

const charted = () => document.querySelector('.u-over') !== null;
const theirChart = () => {
  const all = document.querySelectorAll('canvas.benchmark-chart');
  return all.length > 0 && [...all].every((c) => c.width > 0) && document.readyState === 'complete';
};

/**
 * From the choice, on a page at rest, to the frame in which the other chart is painted. Taken in the page: this
 * script's own messages take as long as the chart.
 */
async function change(page) {
  await page.waitForTimeout(500);
  const ms = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const old = document.querySelector('.u-over');
    const select = document.querySelector('#metric');
    if (!select || select.options.length < 2) return undefined;
    const start = performance.now();
    select.value = [...select.options].find((o) => !o.selected).value;
    select.dispatchEvent(new Event('change'));
    for (let now = old; !now || now === old; now = document.querySelector('.u-over')) await frame();
    await frame(); // the one before it has been painted
    return performance.now() - start;
  });
  return ms === undefined ? {} : { change: ms / 1000 };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const rows = { overview: [], trend: [], 'trend, all years': [], theirs: [] };
for (let n = 0; n < times; n++) {
  rows.overview.push(await open(ours, () => document.querySelector('main table') !== null));
  rows.trend.push(await open(`${ours}#/trend`, charted, change));
  rows['trend, all years'].push(await open(`${ours}#/trend?range=all`, charted, change));
  if (theirs) rows.theirs.push(await open(theirs, theirChart));
}
await browser.close();

console.log(
  '| page | first paint, s | chart or table, s | kB before it | heap, MB | another metric, s |',
);
console.log('|---|--:|--:|--:|--:|--:|');
for (const [name, own] of Object.entries(rows)) {
  if (!own.length) continue;
  const at = (key, digits) => {
    const values = own.map((r) => r[key]).filter((v) => v !== undefined && !Number.isNaN(v));
    return values.length ? median(values).toFixed(digits) : '–';
  };
  console.log(
    `| ${name} | ${at('paint', 2)} | ${at('ready', 2)} | ${at('kB', 0)} | ${at('MB', 0)} | ${at('change', 3)} |`,
  );
}
