// A picture of a chart for a slide: what is drawn, on the page's own ground, with its title and legend in it.

import { h } from '../dom.ts';
import { ink } from './theme.ts';

export interface Entry {
  title: string;
  color: string;
}

const MARGIN = 16;
const LINE = 20;
const INDENT = 22; // of a legend's words
const FONT = '14px system-ui, sans-serif';

/** A button that hands the picture over as a file. `canvas` is asked for when it is pressed. */
export function imageButton(
  name: string,
  title: string,
  canvas: () => HTMLCanvasElement | undefined,
  legend: () => readonly Entry[],
): HTMLElement {
  const save = async () => {
    const drawn = canvas();
    if (!drawn) return;
    const blob = await picture(drawn, title, legend());
    const address = URL.createObjectURL(blob);
    h('a', { href: address, download: `${name}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': `${title} as an image`,
      click: () => void save(),
    },
    'Image',
  );
}

async function picture(
  chart: HTMLCanvasElement,
  title: string,
  legend: readonly Entry[],
): Promise<Blob> {
  const ratio = devicePixelRatio || 1;
  const top = (MARGIN + LINE * (1 + legend.length)) * ratio;
  const canvas = document.createElement('canvas');
  const ctx = canvas.getContext('2d');
  if (!ctx) throw new Error('this browser draws no canvas');
  ctx.font = FONT;
  const words = Math.max(...legend.map(({ title: own }) => ctx.measureText(own).width + INDENT), 0);
  canvas.width = Math.max(chart.width, words * ratio) + 2 * MARGIN * ratio; // which forgets the font
  canvas.height = top + chart.height + MARGIN * ratio;
  const { page, text } = ink();
  ctx.fillStyle = page;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(chart, MARGIN * ratio, top);
  ctx.scale(ratio, ratio);
  ctx.textBaseline = 'top';
  ctx.fillStyle = text;
  ctx.font = `600 ${FONT}`;
  ctx.fillText(title, MARGIN, MARGIN);
  ctx.font = FONT;
  for (const [n, entry] of legend.entries()) {
    const y = MARGIN + LINE * (n + 1);
    ctx.fillStyle = entry.color;
    ctx.fillRect(MARGIN, y + 6, 14, 3);
    ctx.fillStyle = text;
    ctx.fillText(entry.title, MARGIN + INDENT, y);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
}
