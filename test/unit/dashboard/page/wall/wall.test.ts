import { describe, expect, it } from 'vitest';
import { countMarks, countsText, latenessAt, markAt } from '../../../../../dashboard/page/contract/marks.ts';
import { hashOf, placeOf } from '../../../../../dashboard/page/contract/route.ts';
import { applyChange, createFleet } from '../../../../../dashboard/page/live/fleet.ts';
import { arrange } from '../../../../../dashboard/page/wall/arrange.ts';
import { cellAt, cornerOf, layoutWall, moved } from '../../../../../dashboard/page/wall/layout.ts';
import { type Cell, rowOf } from '../../../../../dashboard/wire/live.ts';

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

describe('the layout of the wall', () => {
  const groupsOf = (nodes: number, zones: number) =>
    Array.from({ length: zones }, (_, index) => ({ name: `z${index}`, count: Math.ceil(nodes / zones) }));

  it.each([
    [12, 3],
    [1_000, 3],
    [10_000, 3],
    [100_000, 12],
  ])('has a place for each of %i nodes in %i groups, and finds it again', (nodes, zones) => {
    const layout = layoutWall(groupsOf(nodes, zones), 1_160, 620);
    const last = groupsOf(nodes, zones).reduce((sum, { count }) => sum + count, 0) - 1;
    for (const index of [0, 1, Math.floor(last / 2), last]) {
      const { x, y } = cornerOf(layout, index);
      expect(cellAt(layout, x + 1, y + 1)).toBe(index);
      expect(x + layout.pitch).toBeLessThanOrEqual(1_160);
      expect(y + layout.pitch).toBeLessThanOrEqual(layout.height + 1);
    }
  });

  it('fills the height it is given, and takes more only with the smallest cells', () => {
    expect(layoutWall(groupsOf(1_000, 3), 1_160, 620).height).toBeLessThanOrEqual(620);
    const crowded = layoutWall(groupsOf(100_000, 3), 360, 500);
    expect(crowded.pitch).toBe(4);
    expect(crowded.height).toBeGreaterThan(500);
  });

  it('has no cell between groups, in headings and beside the last one', () => {
    const layout = layoutWall([{ name: 'a', count: 3 }], 400, 300);
    expect(cellAt(layout, 1, 1)).toBeUndefined();
    expect(cellAt(layout, -1, 40)).toBeUndefined();
    expect(cellAt(layout, 3 * layout.pitch + 1, 30)).toBeUndefined();
    expect(cellAt(layoutWall([], 400, 300), 10, 10)).toBeUndefined();
  });

  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 11, 11],
    ['Home', 7, 0],
    ['End', 0, 11],
    ['a', 5, 5],
  ])('leads by %s from %i to %i', (key, from, to) => {
    expect(moved(layoutWall(groupsOf(12, 3), 600, 400), from, key)).toBe(to);
  });

  it('leads down by a row', () => {
    const layout = layoutWall([{ name: 'a', count: 1_000 }], 600, 400);
    const step = layout.blocks[0]?.perRow ?? 0;
    expect(moved(layout, 5, 'ArrowDown')).toBe(5 + step);
    expect(moved(layout, 5 + step, 'ArrowUp')).toBe(5);
  });

  it('orders groups and names by the value of their numbers', () => {
    const cells = [cell('n10'), cell('n9'), cell('b1', { zone: 'z10' }), cell('c1', { zone: 'z9' })];
    const { cells: sorted, groups, places } = arrange(cells, 'zone');
    expect(sorted.map(({ name }) => name)).toEqual(['n9', 'n10', 'c1', 'b1']);
    expect(groups).toEqual([
      { name: 'a', count: 2 },
      { name: 'z9', count: 1 },
      { name: 'z10', count: 1 },
    ]);
    expect(places.get('b1')).toBe(3);
  });
});

describe('a cell', () => {
  it('is late before it is Unknown, and shaded by how late', () => {
    const silent = cell('a', { silentSince: 100_000 });
    expect(markAt(silent, 110_000)).toBe('ready');
    expect(markAt(silent, 120_000)).toBe('late');
    expect(latenessAt(silent, 140_000)).toBe(1);
    expect(markAt({ ...silent, mark: 'Unknown' }, 140_000)).toBe('Unknown');
    expect(markAt({ ...silent, mark: 'cordoned' }, 120_000)).toBe('late');
  });

  it('counts in words', () => {
    const cells = [cell('a'), cell('b'), cell('c', { mark: 'Unknown' })];
    expect(countsText(countMarks(cells, 0))).toBe('1 Unknown, 2 ready');
    expect(countsText(countMarks([], 0))).toBe('no nodes');
  });
});

describe('the stream', () => {
  const change = (cells: readonly Cell[], more: object = {}) => ({
    now: 1_000,
    isWhole: true,
    cells: cells.map(rowOf),
    gone: [],
    source: { is: 'live' as const, asOf: 1_000 },
    ...more,
  });

  it('merges changes, and tells apart what moves nodes from what colours them', () => {
    const fleet = createFleet();
    applyChange(fleet, change([cell('a'), cell('b')], { isReset: true }));
    expect([fleet.cells.size, fleet.isWhole]).toEqual([2, true]);
    const { shape } = fleet;
    expect(applyChange(fleet, change([cell('a', { mark: 'Unknown' })])).changed).toEqual(['a']);
    expect(fleet.shape).toBe(shape);
    applyChange(fleet, change([], { gone: ['b', 'never seen'] }));
    expect(fleet.shape).toBe(shape + 1);
    applyChange(fleet, change([cell('c')], { isReset: true, isWhole: false }));
    expect([...fleet.cells.keys()]).toEqual(['c']);
    expect(fleet.isWhole).toBe(false);
  });
});

describe('addresses within the page', () => {
  it.each([
    ['', 'wall', []],
    ['#/', 'wall', []],
    ['#/node/a1', 'node', ['a1']],
    ['#/pod/shop/web%2F0', 'pod', ['shop', 'web/0']],
    ['#/node/%zz', 'node', ['%zz']],
  ])('read %s', (hash, path, rest) => {
    expect(placeOf(hash)).toEqual({ path, rest });
  });

  it('are read as they are written', () => {
    expect(placeOf(hashOf('zone', 'eu west/a'))).toEqual({ path: 'zone', rest: ['eu west/a'] });
  });
});
