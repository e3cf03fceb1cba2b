// A choice among few, with its label: what is chosen goes into the address.

import { h } from './dom.ts';
import { go } from './state.ts';

export interface Choice {
  value: string;
  words: string;
}

export function select(
  name: string,
  words: string,
  choices: readonly Choice[],
  chosen: string,
  change: (value: string) => void = (value) => go({ [name]: value || undefined }),
): HTMLElement {
  return h(
    'label',
    {},
    `${words} `,
    h(
      'select',
      { id: name, change: (e) => change((e.target as HTMLSelectElement).value) },
      ...choices.map((c) => h('option', { value: c.value, selected: c.value === chosen }, c.words)),
    ),
  );
}

/** Any, or one of them; nothing where there is nothing to choose. */
export function facet(
  name: string,
  words: string,
  all: Iterable<string>,
  chosen: string | null,
): HTMLElement | null {
  const known = [...new Set(all)].filter(Boolean).sort();
  if (known.length < 2 && !chosen) return null;
  const choices = [{ value: '', words: 'any' }, ...known.map((v) => ({ value: v, words: v }))];
  return select(name, words, choices, chosen ?? '', (value) =>
    go({ [name]: value || undefined, page: undefined, series: undefined }),
  );
}

/** A command to copy. */
export function command(text: string): HTMLElement {
  return h('code', { class: 'command' }, text);
}
