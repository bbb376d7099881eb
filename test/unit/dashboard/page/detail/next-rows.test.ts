import { describe, expect, it } from 'vitest';
import { nextOf, nothingText } from '../../../../../dashboard/page/detail/next-rows.ts';
import { applyChange, createFleet, type Fleet } from '../../../../../dashboard/page/live/fleet.ts';
import type { Cell, DueEviction, LiveDue, LiveZone } from '../../../../../dashboard/wire/live.ts';
import { rowOf } from '../../../../../dashboard/wire/live.ts';

const NOW = 1_700_000_000_000;

const cell = (name: string, more: Partial<Cell> = {}): Cell => ({
  name,
  zone: 'a',
  pool: '',
  rack: '',
  mark: 'ready',
  silentSince: 0,
  graceMs: 40_000,
  ...more,
});

const zone = (more: Partial<LiveZone> = {}): LiveZone => ({
  name: 'a',
  id: 'a',
  state: 'Normal',
  size: 4,
  ready: 4,
  rate: 0.1,
  nextAt: NOW + 7_000,
  waiting: [],
  waitingCount: 0,
  changedAt: undefined,
  reason: '',
  ...more,
});

const leaves = (name: string, fireAt: number, node = 'n1'): DueEviction => ({
  namespace: 'shop',
  name,
  node,
  zone: 'a',
  fireAt,
  reason: 'tolerates unreachable for 15s',
});

const LIVE = { is: 'live', asOf: NOW } as const;

const fleetOf = (cells: readonly Cell[], zones: readonly LiveZone[], given: Partial<LiveDue> = {}): Fleet => {
  const fleet = createFleet();
  const counts = { evictionCount: given.evictions?.length ?? 0, heldCount: given.held?.length ?? 0 };
  const due = { evictions: [], drains: [], drainCount: 0, held: [], unknowns: [], ...counts, ...given };
  applyChange(fleet, {
    now: NOW,
    isWhole: true,
    cells: cells.map(rowOf),
    gone: [],
    zones,
    due,
    source: LIVE,
  });
  return fleet;
};

const textsOf = (fleet: Fleet): readonly string[] =>
  nextOf(fleet, NOW).rows.map(({ at, before, subjects, more, verb, object, why }) => {
    const names = subjects.map(({ text }) => text).join(', ');
    const others = more > 0 ? ` and ${more} more` : '';
    return `${at - NOW} ${before} ${names}${others} ${verb} ${object?.text ?? ''}: ${why}`.replace(
      / +/g,
      ' ',
    );
  });

describe('what the wall says is next', () => {
  it('follows what the control plane says of a silence, and forecasts nothing for a node that its zone paces', () => {
    const silentSince = NOW - 20_000;
    const cells = ['late', 'paced', 'other'].map((name) => cell(name, { silentSince }));
    const unknowns = [
      { node: 'late', beatAt: silentSince, at: NOW + 77_000 },
      { node: 'paced', beatAt: silentSince },
      { node: 'other', beatAt: silentSince - 1, at: NOW + 99_000 },
    ];
    expect(nextOf(fleetOf(cells, [zone()], { unknowns }), NOW).rows.map(({ at }) => at - NOW)).toEqual([
      20_000 + 5_000 - (NOW % 5_000),
      77_000,
    ]);
  });

  it('names the first nodes that become Unknown together, and counts the others', () => {
    const late = ['n1', 'n2', 'n3', 'n4'].map((name) => cell(name, { silentSince: NOW - 20_000 }));
    expect(textsOf(fleetOf([...late, cell('n5')], [zone()]))).toEqual([
      '25000 n1, n2, n3 and 1 more become Unknown : zone a, silent for 20.0s of 40s',
    ]);
  });

  it('looks at 5,000 late nodes each second, and counts the others', () => {
    const late = Array.from({ length: 5_010 }, (_, index) =>
      cell(`n${index}`, { silentSince: NOW - 20_000 }),
    );
    const { rows, moreLate } = nextOf(fleetOf(late, [zone()]), NOW);
    expect([rows.length, rows[0]?.more, moreLate]).toEqual([1, 4_997, 10]);
  });

  it('tells who is tainted first, who follows, and how many wait', () => {
    const line = zone({ ready: 0, waiting: ['n2', 'n3'], waitingCount: 334 });
    expect(textsOf(fleetOf([cell('n2', { mark: 'Unknown' })], [line]))).toEqual([
      '7000 n2 gets its NoExecute taint : number 1 of 334 in zone a, one each 10s; then n3 in 17s',
    ]);
  });

  it('tells which pods leave which node, and by which toleration', () => {
    const evictions = [leaves('web-1', NOW + 3_000), leaves('web-2', NOW + 3_000), leaves('db', NOW + 9_000)];
    expect(textsOf(fleetOf([cell('n1')], [zone()], { evictions }))).toEqual([
      '3000 2 pods: web-1, web-2 leave n1: tolerates unreachable for 15s',
      '9000 pod db leaves n1: tolerates unreachable for 15s',
    ]);
    expect(nextOf(fleetOf([], [], { evictions, evictionCount: 150 }), NOW).morePods).toBe(147);
  });

  it('leads to the pages of nodes and pods', () => {
    const [row] = nextOf(fleetOf([cell('n1')], [zone()], { evictions: [leaves('web', NOW)] }), NOW).rows;
    expect(row?.subjects[0]?.path).toEqual(['pod', 'shop', 'web']);
    expect(row?.object?.path).toEqual(['node', 'n1']);
  });

  it('tells of drains: instants in the list, and those that somebody has to help', () => {
    const drain = { state: 'waiting', message: 'a budget', deadlineAt: NOW + 60_000 } as const;
    const fleet = fleetOf([cell('n1')], [zone()], {
      drains: [{ node: 'n1', zone: 'a', drain }],
      drainCount: 3,
    });
    expect(textsOf(fleet)).toEqual(['60000 the drain of n1 gives up : the deadline of the request']);
    const { held, moreDrains } = nextOf(fleet, NOW);
    expect([held, moreDrains]).toEqual([['n1 is being drained, and waits for budgets: a budget'], 2]);
  });

  it('tells which pods have no successor, and counts the others', () => {
    const held = ['db-0', 'db-1', 'db-2', 'db-3'].map((pod) => ({ pod, node: 'n1' }));
    const { held: texts, moreHeld } = nextOf(fleetOf([cell('n1')], [zone()], { held }), NOW);
    expect(texts[0]).toBe(
      'db-0 has no successor: it may still run on n1, until that answers or its Node is deleted',
    );
    expect([texts.length, moreHeld]).toEqual([3, 1]);
  });

  it('tells what does not happen, and why', () => {
    const down = zone({ state: 'FullDisruption', ready: 0, rate: 0 });
    expect(nextOf(fleetOf([], [down]), NOW).stopped).toEqual([
      'no pod is evicted: every zone is down, so it may be the network',
    ]);
  });

  it('forgets who is heard again, and who is gone', () => {
    const fleet = fleetOf([cell('n1', { silentSince: 1 }), cell('n2', { silentSince: 1 })], [zone()]);
    applyChange(fleet, { now: NOW, isWhole: true, cells: [rowOf(cell('n1'))], gone: ['n2'], source: LIVE });
    expect(fleet.late.size).toBe(0);
    expect(textsOf(fleet)).toEqual([]);
  });

  it.each<[string, Fleet, string]>([
    ['every node answers', fleetOf([cell('n1')], [zone()]), 'Nothing is due: every node answers.'],
    ['there is no node', fleetOf([], []), 'No node has registered yet.'],
    [
      'some have been dealt with',
      fleetOf([cell('n1')], [zone({ ready: 2 })]),
      'Nothing else is due. 2 nodes are not ready, and stay so until they are heard from again.',
    ],
    [
      'one has been dealt with',
      fleetOf([cell('n1')], [zone({ ready: 3 })]),
      'Nothing else is due. 1 node is not ready, and stays so until it is heard from again.',
    ],
    [
      'all evictions are stopped',
      fleetOf([cell('n1')], [zone({ ready: 0, rate: 0, state: 'FullDisruption' })]),
      'Nothing else has a time.',
    ],
  ])('says when %s', (_, fleet, text) => expect(nothingText(fleet, nextOf(fleet, NOW))).toBe(text));
});
