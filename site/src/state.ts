// Where one is: all of it is in the URL after #, so that every view is a link.

export interface State {
  page: string;
  params: URLSearchParams;
}

export function read(hash: string): State {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { page: path || 'overview', params: new URLSearchParams(query) };
}

export function link(page: string, params: Record<string, string | string[] | undefined>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      query.append(key, each);
    }
  }
  const text = query.toString();
  return `#/${page}${text ? `?${text}` : ''}`;
}

/** The same page with some parameters changed; undefined removes one. */
export function changed(
  state: State,
  params: Record<string, string | string[] | undefined>,
): string {
  const all: Record<string, string | string[] | undefined> = {};
  for (const key of new Set(state.params.keys())) all[key] = state.params.getAll(key);
  return link(state.page, { ...all, ...params });
}

/** Goes there from where one is now: a page that is still shown may be older than the URL. */
export function go(params: Record<string, string | string[] | undefined>): void {
  location.hash = changed(read(location.hash), params);
}

/** Says where one is without showing the page again: what is shown has changed already. */
export function note(params: Record<string, string | string[] | undefined>): void {
  history.replaceState(null, '', changed(read(location.hash), params));
}
