// Elements from names, attributes and children. Text is only ever text: nothing that was loaded is taken for markup.

type Attribute = string | number | boolean | ((event: Event) => void) | undefined;
export type Child = Node | string | number | null | undefined | false;

const SVG = 'http://www.w3.org/2000/svg';
const DRAWN = new Set(['svg', 'path', 'line', 'circle', 'rect', 'g', 'text', 'polyline']);

export function h(
  name: string,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElement {
  const element = DRAWN.has(name)
    ? (document.createElementNS(SVG, name) as unknown as HTMLElement)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export interface Column<Row> {
  title: string;
  number?: boolean; // aligned right
  short?: boolean; // a date: in one line
  long?: boolean; // text that needs room, however narrow the screen is
  cell: (row: Row) => Child;
}

export function table<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: readonly Row[],
): HTMLElement {
  const classes = (column: Column<Row>) =>
    column.number ? 'number' : column.long ? 'long' : column.short ? 'short' : undefined;
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h(
        'thead',
        {},
        h('tr', {}, ...columns.map((c) => h('th', { scope: 'col', class: classes(c) }, c.title))),
      ),
      h(
        'tbody',
        {},
        ...rows.map((row) =>
          h('tr', {}, ...columns.map((c) => h('td', { class: classes(c) }, c.cell(row)))),
        ),
      ),
    ),
  );
}
