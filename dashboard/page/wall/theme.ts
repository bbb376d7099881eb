/** Dark and light: the browser's choice, or the user's. Colours are in the style sheet alone. */
import type { Mark } from '../../../shared/rules/roll-call/node-marks.ts';
import { ALL_MARKS } from '../contract/marks.ts';
import type { Colours } from './sprites.ts';

export type Theme = 'dark' | 'light' | 'auto';

const KEY = 'rollcall-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'dark', dark: 'light', light: 'auto' };

export const themeNow = (): Theme => {
  const stored = localStorage.getItem(KEY);
  return stored === 'dark' || stored === 'light' ? stored : 'auto';
};

/** Shows the theme that is stored. */
export const applyTheme = (): void => {
  document.documentElement.dataset['theme'] = themeNow();
  dispatchEvent(new Event('rollcall-theme'));
};

/** Takes the next theme, and stores it. */
export const nextTheme = (): Theme => {
  const next = NEXT[themeNow()];
  localStorage.setItem(KEY, next);
  applyTheme();
  return next;
};

/** The colours that hold now. A property with `light-dark()` has none by itself: an element has to wear it. */
export const themeColours = (
  within: HTMLElement,
): Colours & { readonly focus: string; readonly text: string } => {
  const probe = document.createElement('i');
  within.append(probe);
  const worn = (name: string): string => {
    probe.className = `ink-${name}`;
    return getComputedStyle(probe).color;
  };
  const marks = new Map<Mark, string>(ALL_MARKS.map((mark) => [mark, worn(mark)]));
  const [background, focus, text] = [worn('background'), worn('focus'), worn('text')];
  probe.remove();
  return { of: (mark) => marks.get(mark) ?? text, background, focus, text };
};
