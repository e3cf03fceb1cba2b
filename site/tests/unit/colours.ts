// The colours that stand for something, as people with three kinds of colour blindness see them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

// Full dichromacy in linear RGB: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), table 1.
const EYES: Record<string, Matrix> = {
  everyone: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopes: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopes: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopes: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}; // biome-ignore format: as matrices

const CSS = readFileSync(join(import.meta.dirname, '../../src/style.css'), 'utf8');
const THEMES = ['light', 'dark'] as const;

function variable(name: string, theme: (typeof THEMES)[number]): string {
  const found = CSS.match(new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`));
  if (!found) throw new Error(`no colour --${name}`);
  return found[theme === 'light' ? 1 : 2] as string;
}

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

const times = (m: Matrix, v: Triple): Triple =>
  m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as unknown as Triple;
const clip = (v: Triple) => v.map((c) => Math.min(1, Math.max(0, c))) as unknown as Triple;

/** CIE L*a*b*, D65. */
function lab(rgb: Triple): Triple {
  const [x, y, z] = times(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]],
    rgb,
  ); // biome-ignore format: a matrix
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

/** CIEDE2000 (Sharma, Wu and Dalal, Color Research and Application 30, 2005). */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const degrees = Math.PI / 180;
  const mean7 = ((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) ** 7;
  const g = 0.5 * (1 - Math.sqrt(mean7 / (mean7 + 25 ** 7)));
  const [c1, c2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)];
  const hue = (a: number, b: number) => (Math.atan2(b, a * (1 + g)) / degrees + 360) % 360;
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  let turn = c1 * c2 === 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  else if (turn < -180) turn += 360;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * degrees);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  let h = (h1 + h2) / 2;
  if (c1 * c2 === 0) h = h1 + h2;
  else if (Math.abs(h1 - h2) > 180) h += h1 + h2 < 360 ? 180 : -180;
  const t =
    1 - 0.17 * Math.cos((h - 30) * degrees) + 0.24 * Math.cos(2 * h * degrees) +
    0.32 * Math.cos((3 * h + 6) * degrees) - 0.2 * Math.cos((4 * h - 63) * degrees); // biome-ignore format: a sum
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rotation =
    -2 *
    Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) *
    Math.sin(60 * degrees * Math.exp(-(((h - 275) / 25) ** 2)));
  const [x, y, z] = [(l2 - l1) / sl, (c2 - c1) / sc, dh / sh];
  return Math.sqrt(x * x + y * y + z * z + rotation * y * z);
}

function contrast(one: string, other: string): number {
  const light = (hex: string) => {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}

const SERIES = Array.from({ length: 8 }, (_, n) => `series-${n}`);

it('measures a difference as the paper’s own examples say', () => {
  expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4);
  expect(difference([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(
    1.2644,
    4,
  );
  expect(difference([22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619])).toBeCloseTo(
    2.0373,
    4,
  );
});

describe.each(THEMES)('in the %s theme', (theme) => {
  it.each(Object.keys(EYES))(
    '%s tell every two lines apart, and better from worse and from a warning',
    (who) => {
      const seen = (name: string) =>
        lab(clip(times(EYES[who] as Matrix, linear(variable(name, theme)))));
      for (const group of [SERIES, ['good', 'bad', 'warn']]) {
        for (const [n, one] of group.entries()) {
          for (const other of group.slice(0, n)) {
            expect(
              difference(seen(one), seen(other)),
              `${one} and ${other}`,
            ).toBeGreaterThanOrEqual(10);
          }
        }
      }
    },
  );

  it('lines stand out from their ground, and words can be read', () => {
    for (const name of SERIES)
      expect(contrast(variable(name, theme), variable('card', theme)), name).toBeGreaterThanOrEqual(
        3,
      );
    for (const name of ['good', 'bad', 'warn', 'text-2', 'accent']) {
      for (const ground of ['card', 'page'])
        expect(
          contrast(variable(name, theme), variable(ground, theme)),
          name,
        ).toBeGreaterThanOrEqual(4.5);
    }
  });
});
