// What each page is given, and what it gives: an element, and what to do when it is left.

import type { Store } from '../data/store.ts';
import type { State } from '../state.ts';

export interface Context {
  store: Store;
  state: State;
  now: number; // seconds since 1970
}

export interface View {
  title: string;
  element: HTMLElement;
  shown?: () => void; // it is in the document now
  left?: () => void;
}

export type Page = (context: Context) => Promise<View>;
