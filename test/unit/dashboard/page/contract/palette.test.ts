import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALL_MARKS } from '../../../../../dashboard/page/contract/marks.ts';

const sheet = readFileSync('dashboard/page/assets/style.css', 'utf8');
const colours = new Map(
  [...sheet.matchAll(/--(\w+):\s*light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', ...both]) => [
    name,
    both,
  ]),
);

/** Relative luminance and contrast. Source: WCAG 2.2. */
const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};
const least = (name: string, theme: number): number =>
  Math.min(
    ...['background', 'surface'].map((behind) =>
      contrast(colours.get(name)?.[theme] ?? '#000000', colours.get(behind)?.[theme] ?? '#000000'),
    ),
  );

describe.each([
  ['light', 0],
  ['dark', 1],
])('the %s palette', (_, theme) => {
  it.each(['text', 'faint', 'focus'])('has text that can be read: %s', (name) => {
    expect(least(name, theme)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([...ALL_MARKS, 'edge'])('has marks and edges that can be seen: %s', (name) => {
    expect(least(name, theme)).toBeGreaterThanOrEqual(3);
  });
});
