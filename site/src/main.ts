// Shows the page that the URL names, and another when it changes.

import { DataError, Store } from './data/store.ts';
import { h } from './dom.ts';
import type { Index } from './generated/published.ts';
import { compare } from './pages/compare.ts';
import { evidence } from './pages/evidence.ts';
import { health } from './pages/health.ts';
import { inbox } from './pages/inbox.ts';
import { lanes } from './pages/lanes.ts';
import { matrix } from './pages/matrix.ts';
import { nothing } from './pages/nothing.ts';
import { overview } from './pages/overview.ts';
import type { Page, View } from './pages/page.ts';
import { run } from './pages/run.ts';
import { session } from './pages/session.ts';
import { trend } from './pages/trend.ts';
import { read } from './state.ts';

interface Listed {
  title: string;
  page: Page;
  menu: (index: Index | null) => boolean; // whether it is in the menu
}

const ofHistory = (index: Index | null) => !index?.report;

const PAGES: Record<string, Listed> = {
  session: { title: 'Session', page: session, menu: (index) => Boolean(index?.report) },
  overview: { title: 'Overview', page: overview, menu: ofHistory },
  inbox: { title: 'Regressions', page: inbox, menu: ofHistory },
  trend: { title: 'Trends', page: trend, menu: ofHistory },
  compare: { title: 'Compare', page: compare, menu: (index) => !index?.report || index.points > 0 },
  lanes: { title: 'JDKs and drivers', page: lanes, menu: ofHistory },
  evidence: {
    title: 'Comparisons',
    page: evidence,
    menu: (index) => !index?.report || Boolean(index.evidence),
  },
  matrix: { title: 'All series', page: matrix, menu: ofHistory },
  health: { title: 'Health', page: health, menu: ofHistory },
  run: { title: 'Run', page: run, menu: () => false },
};

const store = new Store();
const main = document.querySelector('main') as HTMLElement;
let current: View | undefined;
let page = '';
let turn = 0;

async function show(): Promise<void> {
  const own = ++turn;
  const state = read(location.hash);
  const known = Object.hasOwn(PAGES, state.page) ? PAGES[state.page] : undefined;
  await menu(state.page);
  if (own !== turn) return;
  let view: View;
  try {
    if (!known) throw new DataError(`there is no page ${state.page}`);
    const start = location.hash === '' ? startOf(await store.index()) : 'overview';
    if (start !== 'overview') {
      location.replace(`#/${start}`);
      return;
    }
    view = (await empty(state.page))
      ? nothing()
      : await known.page({ store, state, now: Date.now() / 1000 });
  } catch (error) {
    view = failed(error);
  }
  if (own !== turn) return; // another was asked for meanwhile
  const kept = page === state.page ? place() : null;
  const first = page === '';
  page = state.page;
  current?.left?.();
  current = view;
  main.replaceChildren(view.element);
  document.title = `${view.title} – Telar`;
  if (kept) restore(kept);
  else if (!first) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true }); // a screen reader says that there is another page
  }
  view.shown?.();
}

/** Whether nothing was published that this page could show. */
async function empty(page: string): Promise<boolean> {
  const { now, points, evidence, report } = await store.index();
  if (report && (page === 'session' || page === 'run')) return false;
  return now === null || (points === 0 && !(page === 'evidence' && evidence));
}

/** What is shown first: of a report its session, of comparisons alone what they found. */
function startOf(index: Index | null): string {
  if (index?.report) return 'session';
  return index?.points === 0 && index.evidence ? 'evidence' : 'overview';
}

interface Kept {
  focus: string;
  open: string[];
}

/** What has the focus, and what is folded out: a choice changes the page around it, and leaves it where it is. */
function place(): Kept {
  const open = [...main.querySelectorAll<HTMLElement>('details[open] > summary[id]')].map(
    (s) => s.id,
  );
  const focus = main.contains(document.activeElement) ? (document.activeElement?.id ?? '') : '';
  return { focus, open };
}

function restore({ focus, open }: Kept): void {
  const find = (id: string) => (id ? main.querySelector<HTMLElement>(`#${CSS.escape(id)}`) : null);
  for (const id of open) find(id)?.parentElement?.setAttribute('open', '');
  find(focus)?.focus({ preventScroll: true });
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
      h('p', {}, h('a', { href: '#' }, 'To the first page')),
    ),
  };
}

async function menu(page: string): Promise<void> {
  const index = await store.index().catch(() => null); // which the page itself complains about
  const links = Object.entries(PAGES)
    .filter(([, { menu: listed }]) => listed(index))
    .map(([name, { title }]) =>
      h('a', { href: `#/${name}`, 'aria-current': name === page ? 'page' : undefined }, title),
    );
  document
    .querySelector('header')
    ?.replaceChildren(
      h('a', { class: 'brand', href: `#/${startOf(index)}` }, 'Telar'),
      h('nav', { 'aria-label': 'Pages' }, ...links),
    );
}

// Where one is stands after #: a link to a place in the page would be taken for another page.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
  main.scrollIntoView();
});
addEventListener('hashchange', show);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show); // charts are drawn in its colours
void show();
