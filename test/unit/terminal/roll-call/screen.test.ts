import { describe, expect, it } from 'vitest';
import type { RollCall } from '../../../../shared/rules/roll-call/roll-call.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import { screenLines, type Terminal } from '../../../../terminal/roll-call/roll-call-screen.ts';
import { createDrawer } from '../../../../terminal/roll-call/screen-drawer.ts';
import { fitted, lineOf, painted, plainOf } from '../../../../terminal/roll-call/styled.ts';
import { displayWidth } from '../../../../terminal/roll-call/terminal-text.ts';
import { aNode, aRollCall, aZone, EVICTED, NOW, SILENT } from '../../../support/objects/a-roll-call.ts';

const SURROUNDINGS = {
  header: ['Rollcall answers at https://127.0.0.1:33029', 'kubectl get nodes'].map((text) => lineOf(text)),
  footer: ['npx rollcall outage --zone a', 'kill -9 this process and start it again'].map((text) =>
    lineOf(text),
  ),
  recent: Array.from({ length: 6 }, (_, index) => `a line of the log ${index} ${'x'.repeat(200)}`),
};

/** Nodes of zones in turn, of which each third in zone 0 is evicted, each fifth elsewhere late. */
const fleet = (nodes: number, names: readonly string[]): RollCall => {
  const stateOf = (node: number) => {
    if (node % names.length === 0) return node % 9 === 0 ? SILENT : EVICTED;
    return node % 5 === 0 ? { beatAt: NOW - 20_000 } : {};
  };
  const lines = Array.from({ length: nodes }, (_, node) =>
    aNode(`n${node + 1}`, { zone: names[node % names.length] ?? '', ...stateOf(node) }),
  );
  return aRollCall(
    lines,
    names.map((name) => aZone(name)),
  );
};

const zonesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, zone) => `zone-東京-${zone}`);
const ABC = ['a', 'b', 'c'];

const textOf = (view: RollCall, terminal: Terminal): readonly string[] =>
  screenLines(view, CONFIG, SURROUNDINGS, terminal).map(plainOf);

const SIZES = [
  [80, 24],
  [120, 35],
  [60, 20],
  [200, 50],
  [20, 5],
  [1, 1],
  [80, 2],
] as const;
const FLEETS = [
  [0, 1],
  [1, 1],
  [3, 3],
  [12, 3],
  [400, 200],
  [10_000, 3],
] as const;
const CASES = SIZES.flatMap(([columns, rows]) =>
  FLEETS.map(([nodes, zones]) => ({ columns, rows, nodes, zones })),
);

describe('the screen', () => {
  it.each(CASES)(
    'of $columns×$rows holds $nodes nodes in $zones zones',
    ({ columns, rows, nodes, zones }) => {
      const lines = textOf(fleet(nodes, zonesOf(zones)), { rows, columns });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
    },
  );

  it.each(
    [
      [80, 24],
      [120, 35],
    ].flatMap(([columns = 0, rows = 0]) =>
      [0, 3, 12, 400, 10_000].map((nodes) => ({ columns, rows, nodes })),
    ),
  )('of $columns×$rows shows $nodes nodes as in its file', async ({ columns, rows, nodes }) => {
    const text = textOf(fleet(nodes, ABC), { columns, rows })
      .join('\n')
      .replaceAll(/\d\d:\d\d:\d\d/g, 'hh:mm:ss');
    await expect(`${text}\n`).toMatchFileSnapshot(`screens/${columns}x${rows}-${nodes}.txt`);
  });

  it('of 80×24 has every machine of the demonstration and what is next', () => {
    const text = textOf(fleet(12, ABC), { rows: 24, columns: 80 }).join('\n');
    for (const part of [
      'n1 ',
      'n12 ',
      'zone a',
      'zone c',
      'Rollcall answers',
      'npx rollcall outage',
      'leaves n',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/… and/);
  });

  it('of 80×24 folds 200 zones and still shows next steps', () => {
    const text = textOf(fleet(400, zonesOf(200)), { rows: 24, columns: 80 }).join('\n');
    expect(text).toMatch(/… and \d+ more zones/);
    expect(text).toContain('leaves');
  });

  it('keeps the chosen zone in sight', () => {
    const view = fleet(400, zonesOf(200));
    const around = { ...SURROUNDINGS, chosen: 'zone-東京-150' };
    const lines = screenLines(view, CONFIG, around, { rows: 24, columns: 80 });
    expect(
      lines.some((line) => line.some(({ tone, text }) => tone === 'chosen' && text.includes('150'))),
    ).toBe(true);
  });

  it('without nodes says so', () => {
    const text = textOf(aRollCall([], []), { rows: 24, columns: 80 }).join('\n');
    expect(text).toContain('no node has registered yet');
    expect(text).not.toContain('NODE');
  });
});

describe('a line', () => {
  it('is cut where its pieces reach the end', () => {
    const line = [{ text: 'zone ' }, { text: 'abc', tone: 'bad' as const }, { text: ' and more' }];
    expect(plainOf(fitted(line, 17))).toBe('zone abc and more');
    expect(plainOf(fitted(line, 10))).toBe('zone abc …');
    expect(plainOf(fitted(line, 8))).toBe('zone ab…');
    expect(plainOf(fitted(line, 0))).toBe('');
  });

  it('has escape sequences only if colours are wanted', () => {
    expect(painted([{ text: 'U', tone: 'bad' }, { text: ' x' }], true)).toBe('\u001b[1;31mU\u001b[0m x');
    expect(painted([{ text: 'U', tone: 'bad' }, { text: ' x' }], false)).toBe('U x');
  });
});

describe('the drawer', () => {
  it('writes only the rows that have changed', () => {
    const written: string[] = [];
    const drawer = createDrawer((text) => void written.push(text), false);
    drawer.draw([lineOf('one'), lineOf('two')], 3);
    drawer.draw([lineOf('one'), lineOf('2')], 3);
    drawer.draw([lineOf('one'), lineOf('2')], 3);
    expect(written).toEqual([
      '\u001b[2J\u001b[1;1H\u001b[2Kone\u001b[2;1H\u001b[2Ktwo\u001b[3;1H\u001b[2K\u001b[3;1H',
      '\u001b[2;1H\u001b[2K2\u001b[3;1H',
    ]);
    drawer.forget();
    drawer.draw([lineOf('one')], 1);
    expect(written.at(-1)).toContain('one');
  });
});
