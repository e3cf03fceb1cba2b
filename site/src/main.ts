// Shows the page that the URL names, and another when it changes.

import { DataError, Store } from './data/store.ts';
import { h } from './dom.ts';
import { compare } from './pages/compare.ts';
import { health } from './pages/health.ts';
import { lanes } from './pages/lanes.ts';
import { overview } from './pages/overview.ts';
import type { Page, View } from './pages/page.ts';
import { run } from './pages/run.ts';
import { trend } from './pages/trend.ts';
import { read } from './state.ts';

const PAGES: Record<string, { title: string; page: Page; menu: boolean }> = {
  overview: { title: 'Overview', page: overview, menu: true },
  trend: { title: 'Trends', page: trend, menu: true },
  compare: { title: 'Compare', page: compare, menu: true },
  lanes: { title: 'JDKs and drivers', page: lanes, menu: true },
  health: { title: 'Health', page: health, menu: true },
  run: { title: 'Run', page: run, menu: false },
};

const store = new Store();
const main = document.querySelector('main') as HTMLElement;
let current: View | undefined;
let turn = 0;

async function show(): Promise<void> {
  const own = ++turn;
  const state = read(location.hash);
  const known = Object.hasOwn(PAGES, state.page) ? PAGES[state.page] : undefined;
  menu(state.page);
  let view: View;
  try {
    if (!known) throw new DataError(`there is no page ${state.page}`);
    view = await known.page({ store, state, now: Date.now() / 1000 });
  } catch (error) {
    view = failed(error);
  }
  if (own !== turn) return; // another was asked for meanwhile
  current?.left?.();
  current = view;
  main.replaceChildren(view.element);
  document.title = `${view.title} – Telar`;
  view.shown?.();
}

function failed(error: unknown): View {
  const known = error instanceof DataError;
  if (!known) console.error(error);
  return {
    title: 'Not shown',
    element: h(
      'div',
      { class: 'bad', role: 'alert' },
      h('h1', {}, 'This can’t be shown'),
      h(
        'p',
        {},
        known ? error.message : 'A fault of these pages; the browser’s console has the details.',
      ),
      h('p', {}, h('a', { href: '#/overview' }, 'To the overview')),
    ),
  };
}

function menu(page: string): void {
  const links = Object.entries(PAGES)
    .filter(([, { menu: listed }]) => listed)
    .map(([name, { title }]) =>
      h('a', { href: `#/${name}`, 'aria-current': name === page ? 'page' : undefined }, title),
    );
  document
    .querySelector('header')
    ?.replaceChildren(
      h('a', { class: 'brand', href: '#/overview' }, 'Telar'),
      h('nav', { 'aria-label': 'Pages' }, ...links),
    );
}

addEventListener('hashchange', show);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show); // charts are drawn in its colours
void show();
