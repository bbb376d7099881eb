import { describe, expect, it } from 'vitest';
import {
  episodesOf,
  type Happened,
  momentsBetween,
  whatHappened,
} from '../../../../shared/rules/history/happened.ts';
import { HistoryRecorder } from '../../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../../shared/rules/history/seen-node.ts';
import { readyShare, stateByRules, thinned, zoneSteps } from '../../../../shared/rules/history/zone-steps.ts';

const T = 1_767_657_600_000;
const seen = (more: Partial<SeenNode> = {}): SeenNode => ({
  zone: 'a',
  ready: 'True',
  noExecute: [],
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  isCounted: true,
  ...more,
});

describe('whatHappened', () => {
  const rows: readonly (readonly [
    Partial<SeenNode> | undefined,
    Partial<SeenNode> | undefined,
    readonly Happened[],
  ])[] = [
    [undefined, undefined, []],
    [undefined, {}, ['joined']],
    [{}, undefined, ['left']],
    [{}, {}, []],
    [{}, { ready: 'Unknown' }, ['lost']],
    [{}, { ready: 'False' }, ['notReady']],
    [{ ready: 'Unknown' }, {}, ['returned']],
    [{ ready: 'Unknown' }, { ready: 'Unknown', noExecute: ['k'] }, ['tainted']],
    [{ noExecute: ['k'] }, { noExecute: ['l'] }, []],
    [{ ready: 'Unknown', noExecute: ['k'] }, {}, ['returned', 'untainted']],
    [{}, { isCordoned: true }, ['cordoned']],
    [{ isCordoned: true }, {}, ['uncordoned']],
    [{}, { isCordoned: true, isDraining: true }, ['drainAsked']],
    [{ isCordoned: true, isDraining: true }, {}, ['drainEnded']],
    [{ isCordoned: true, isDraining: true }, { isCordoned: true }, ['drainEnded']],
    [{}, { isShuttingDown: true }, ['shutdownBegan']],
    [{ isShuttingDown: true }, {}, ['shutdownEnded']],
  ];
  it.each(rows)('J-257 %o to %o', (before, after, expected) => {
    expect(whatHappened(before && seen(before), after && seen(after), true)).toEqual(expected);
  });
});

describe('a node that becomes ready', () => {
  it('J-257 is ready again only if it is known to have been ready since it joined', () => {
    const recorder = new HistoryRecorder();
    recorder.begin({ revision: 1, at: T, nodes: [['old', seen({ ready: 'Unknown' })]] });
    const changes: readonly (readonly [string, SeenNode | undefined])[] = [
      ['old', seen()],
      ['new', seen({ ready: '-' })],
      ['new', seen({ ready: 'False' })],
      ['new', seen()],
      ['new', seen({ ready: 'Unknown' })],
      ['new', seen()],
      ['new', undefined],
      ['new', seen({ ready: '-' })],
      ['new', seen()],
    ];
    for (const [place, [name, state]] of changes.entries())
      recorder.change({ revision: 10 + place, at: T + 1_000 * (place + 1), name, seen: state });
    recorder.seenUntil(T + 100_000);
    const all = momentsBetween(recorder.record(), T, T + 100_000).map(({ what }) => what);
    expect(all).toEqual([
      ...['becameReady', 'joined', 'notReady', 'becameReady', 'lost', 'returned'],
      ...['left', 'joined', 'becameReady'],
    ]);
    const late = momentsBetween(recorder.record(), T + 5_000, T + 6_000).map(({ what }) => what);
    expect(late).toEqual(['returned']);
  });
});

const outage = (): HistoryRecorder => {
  const recorder = new HistoryRecorder();
  recorder.begin({ revision: 1, at: T, nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => [name, seen()]) });
  ['n1', 'n2', 'n3'].forEach((name, place) => {
    recorder.change({
      revision: 10 + place,
      at: T + 40_000 + place * 1_000,
      name,
      seen: seen({ ready: 'Unknown' }),
    });
  });
  recorder.change({
    revision: 20,
    at: T + 60_000,
    name: 'n1',
    seen: seen({ ready: 'Unknown', noExecute: ['k'] }),
  });
  recorder.evict('u1', { at: T + 70_000, node: 'n1', pod: 'default/p1', reason: 'DeletionByTaintManager' });
  recorder.change({ revision: 21, at: T + 90_000, name: 'n1', seen: seen() });
  recorder.seenUntil(T + 100_000);
  return recorder;
};

describe('momentsBetween', () => {
  it('J-257 tells what happened, in order', () => {
    const told = momentsBetween(outage().record(), T + 41_000, T + 90_000);
    expect(told.map(({ at, node, what }) => `${(at - T) / 1000} ${node} ${what}`)).toEqual([
      '42 n3 lost',
      '60 n1 tainted',
      '70 n1 evicted',
      '90 n1 returned',
      '90 n1 untainted',
    ]);
    expect(told[2]).toMatchObject({ zone: 'a', pod: 'default/p1' });
  });

  it('J-258 joins what happened to a zone within a short time', () => {
    const told = episodesOf(momentsBetween(outage().record(), T, T + 100_000), 10_000);
    expect(
      told.map(({ from, to, what, moments }) => [(from - T) / 1000, (to - T) / 1000, what, moments.length]),
    ).toEqual([
      [40, 42, 'lost', 3],
      [60, 60, 'tainted', 1],
      [70, 70, 'evicted', 1],
      [90, 90, 'returned', 1],
      [90, 90, 'untainted', 1],
    ]);
  });
});

describe('zoneSteps', () => {
  const steps = zoneSteps(outage().record(), T, T + 100_000).get('a') ?? [];

  it('J-259 counts the nodes of a zone after each change', () => {
    expect(
      steps.map(({ at, ready, unknown, tainted }) => [(at - T) / 1000, ready, unknown, tainted]),
    ).toEqual([
      [0, 4, 0, 0],
      [40, 3, 1, 0],
      [41, 2, 2, 0],
      [42, 1, 3, 0],
      [60, 1, 3, 1],
      [90, 2, 2, 0],
    ]);
  });

  it('J-259 says the state that the rules give', () => {
    const settings = { unhealthyZoneThreshold: 0.55 };
    expect(steps.map((step) => stateByRules(step, settings))).toEqual([
      'Normal',
      'Normal',
      'Normal',
      'PartialDisruption',
      'PartialDisruption',
      'Normal',
    ]);
  });

  it('J-259 thins steps without losing the worst or the last of each time', () => {
    const many = Array.from({ length: 1_000 }, (_, place) => {
      const ready = place === 500 ? 0 : 4;
      return {
        at: T + place,
        ready,
        notReady: 0,
        unknown: 4 - ready,
        silent: 0,
        tainted: 0,
        counted: { ready, notReady: 4 - ready },
      };
    });
    const few = thinned(many, 20);
    expect(few.length).toBeLessThanOrEqual(20);
    expect(few.filter((step) => readyShare(step) === 0)).toEqual([many[500]]);
    expect(few.at(-1)).toBe(many.at(-1));
  });
});
