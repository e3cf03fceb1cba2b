// What is said beside a point: it stands at the cursor, inside of its holder, and can be read out.

import { type Child, h } from '../dom.ts';

const AWAY = 12; // pixels from the point

export class Tip {
  readonly element = h('div', { class: 'tip', hidden: true, role: 'status' });

  /** `left`, `top`: of the point, in the holder's own pixels. */
  show(left: number, top: number, holder: HTMLElement, ...said: Child[]): void {
    this.element.replaceChildren(
      ...said.filter((c) => c !== null && c !== undefined && c !== false).map(node),
    );
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const right = left + AWAY + width < holder.clientWidth;
    const x = right ? left + AWAY : left - AWAY - width;
    this.element.style.left = `${Math.max(0, Math.min(x, holder.clientWidth - width))}px`;
    this.element.style.top = `${Math.max(0, top - height - AWAY < 0 ? top + AWAY : top - height - AWAY)}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}

const node = (child: Child): Node | string => (child instanceof Node ? child : String(child));
