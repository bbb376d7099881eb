import { describe, expect, it } from 'vitest';
import {
  afterKey,
  type Choices,
  FIRST_SCREEN,
  isQuit,
  keysIn,
  type Screen,
} from '../../../../terminal/top/keys.ts';

const CHOICES: Choices = {
  zones: ['a', 'b', 'c'],
  nodesOf: (zone) => [`${zone}1`, `${zone}2`],
  lastScroll: 7,
};

const screenAfter = (keys: readonly string[], choices = CHOICES): Screen =>
  keys.reduce((screen, key) => afterKey(screen, key, choices), FIRST_SCREEN);

const ESC = '\u001b';

describe('keys', () => {
  it('are told apart when several come at once', () => {
    expect(keysIn(`j${ESC}[B${ESC}OA${ESC}[5~\n東q`)).toEqual([
      'j',
      `${ESC}[B`,
      `${ESC}OA`,
      `${ESC}[5~`,
      '\n',
      '東',
      'q',
    ]);
    expect(keysIn(ESC)).toEqual([ESC]);
  });

  it.each<[string, readonly string[], string | undefined]>([
    ['choose the first zone', ['j'], 'a'],
    ['choose the next ones', ['j', `${ESC}[B`, `${ESC}OB`], 'c'],
    ['stop at the end', ['j', 'j', 'j', 'j', 'j'], 'c'],
    ['go back', ['j', 'j', 'k'], 'a'],
    ['go to the ends', ['G'], 'c'],
    ['go to the ends and back', ['G', 'g'], 'a'],
    ['do nothing that is not known', ['x', `${ESC}[Z`], undefined],
  ])('%s', (_, keys, chosen) => expect(screenAfter(keys).chosen).toBe(chosen));

  it('open a zone, then a node, and go back to where they came from', () => {
    expect(screenAfter(['j', 'j', '\r'])).toMatchObject({ page: { at: 'zone', zone: 'b' }, chosen: 'b1' });
    const open = screenAfter(['j', 'j', '\r', 'j', '\r']);
    expect(open.page).toEqual({ at: 'node', zone: 'b', node: 'b2' });
    expect(afterKey(open, ESC, CHOICES)).toMatchObject({ page: { at: 'zone', zone: 'b' }, chosen: 'b2' });
    expect(screenAfter(['j', 'j', '\r', 'h'])).toMatchObject({ page: { at: 'fleet' }, chosen: 'b' });
  });

  it('open nothing where nothing is', () => {
    const none: Choices = { zones: [], nodesOf: () => [], lastScroll: 0 };
    expect(screenAfter(['j', '\r', 'k'], none)).toEqual(FIRST_SCREEN);
  });

  it('scroll the page of a node, no further than it goes', () => {
    expect(screenAfter(['\r', '\r', 'j', 'j', 'k']).scroll).toBe(1);
    expect(screenAfter(['\r', '\r', 'G']).scroll).toBe(7);
    expect(screenAfter(['\r', '\r', 'G', 'g']).scroll).toBe(0);
  });

  it('type a filter, in which a q is a letter', () => {
    const typing = screenAfter(['/', 'e', 'q', '\u0007', '\u007f', 'u']);
    expect(typing).toMatchObject({ isTyping: true, filter: 'eu' });
    expect(isQuit('q', typing)).toBe(false);
    expect(isQuit('\u0003', typing)).toBe(true);
    expect(afterKey(typing, '\r', CHOICES)).toMatchObject({ isTyping: false, filter: 'eu' });
    expect(afterKey(typing, ESC, CHOICES)).toMatchObject({ isTyping: false, filter: '' });
    expect(screenAfter(['/', 'n', '\r', ESC]).filter).toBe('');
    expect(isQuit('q', FIRST_SCREEN)).toBe(true);
  });
});
