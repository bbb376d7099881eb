/** What keys do: a pure step from one state of the terminal to the next. */

import { optional } from '../../shared/kube/values/optional.ts';

/** What is shown: all zones, the nodes of a zone, or one node. */
export type Page =
  | { readonly at: 'fleet' }
  | { readonly at: 'zone'; readonly zone: string }
  | { readonly at: 'node'; readonly zone: string; readonly node: string };

/** What the keys have made of the screen. */
export interface Screen {
  readonly page: Page;
  /** The zone or the node at which the keys point. */
  readonly chosen?: string;
  /** The first line that is shown of a node. */
  readonly scroll: number;
  /** Only nodes with this text are shown; empty: all. */
  readonly filter: string;
  /** Whether the filter is being typed. */
  readonly isTyping: boolean;
}

/** What can be chosen: the names of zones or of the zone's nodes, in the order in which they are shown. */
export interface Choices {
  readonly zones: readonly string[];
  readonly nodesOf: (zone: string) => readonly string[];
  /** The furthest that the page of a node can be scrolled. */
  readonly lastScroll: number;
}

export const FIRST_SCREEN: Screen = { page: { at: 'fleet' }, scroll: 0, filter: '', isTyping: false };

const MOVES: Readonly<Record<string, number>> = {
  j: 1,
  '\u001b[B': 1,
  '\u001bOB': 1,
  k: -1,
  '\u001b[A': -1,
  '\u001bOA': -1,
  ' ': 10,
  '\u001b[6~': 10,
  b: -10,
  '\u001b[5~': -10,
  g: Number.NEGATIVE_INFINITY,
  '\u001b[H': Number.NEGATIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
  '\u001b[F': Number.POSITIVE_INFINITY,
};
const ENTER = ['\r', '\n', 'l', '\u001b[C', '\u001bOC'];
const BACK = ['\u001b', 'h', '\u007f', '\b', '\u001b[D', '\u001bOD'];
const QUIT = ['q', '\u0003', '\u0004'];

const ESC = '\u001b';
/** An escape sequence, or one character. */
const KEY = new RegExp(`${ESC}\\[[0-9;]*[A-Za-z~]|${ESC}O[A-Z]|.`, 'gsu');

/** Splits what a terminal sends at once into keys. */
export const keysIn = (text: string): readonly string[] => text.match(KEY) ?? [];

/** Whether the key ends the program. A `q` in a filter is a letter. */
export const isQuit = (key: string, { isTyping }: Screen): boolean =>
  QUIT.includes(key) && !(isTyping && key === 'q');

const listed = ({ page }: Screen, choices: Choices): readonly string[] => {
  if (page.at === 'fleet') return choices.zones;
  return page.at === 'zone' ? choices.nodesOf(page.zone) : [];
};

const moved = (screen: Screen, by: number, choices: Choices): Screen => {
  if (screen.page.at === 'node')
    return { ...screen, scroll: Math.max(0, Math.min(screen.scroll + by, choices.lastScroll)) };
  const all = listed(screen, choices);
  const here = screen.chosen === undefined ? -1 : all.indexOf(screen.chosen);
  const place = Math.min(all.length - 1, Math.max(0, here + by));
  const chosen = all[place];
  return chosen === undefined ? screen : { ...screen, chosen };
};

const shown = (screen: Screen, page: Page, chosen: string | undefined): Screen => {
  const { chosen: _, ...others } = screen;
  return { ...others, page, scroll: 0, ...optional('chosen', chosen) };
};

const opened = (screen: Screen, choices: Choices): Screen => {
  const { page, chosen = listed(screen, choices)[0] } = screen;
  if (chosen === undefined || page.at === 'node') return screen;
  if (page.at === 'zone') return shown(screen, { at: 'node', zone: page.zone, node: chosen }, undefined);
  return shown(screen, { at: 'zone', zone: chosen }, choices.nodesOf(chosen)[0]);
};

const left = (screen: Screen): Screen => {
  const { page } = screen;
  if (page.at === 'node') return shown(screen, { at: 'zone', zone: page.zone }, page.node);
  if (page.at === 'zone') return shown(screen, { at: 'fleet' }, page.zone);
  return { ...shown(screen, page, undefined), filter: '' };
};

const typed = (screen: Screen, key: string): Screen => {
  if (key === '\r' || key === '\n') return { ...screen, isTyping: false };
  if (key === '\u001b') return { ...screen, isTyping: false, filter: '' };
  if (key === '\u007f' || key === '\b') return { ...screen, filter: screen.filter.slice(0, -1) };
  return /^\P{C}$/u.test(key) ? { ...screen, filter: screen.filter + key } : screen;
};

/** The screen after a key. A key that does nothing leaves the same object. */
export const afterKey = (screen: Screen, key: string, choices: Choices): Screen => {
  if (screen.isTyping) return typed(screen, key);
  const by = MOVES[key];
  if (by !== undefined) return moved(screen, by, choices);
  if (ENTER.includes(key)) return opened(screen, choices);
  if (BACK.includes(key)) return left(screen);
  return key === '/' ? { ...screen, isTyping: true, filter: '' } : screen;
};
