import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { timeOfDay } from '../../../../shared/rules/roll-call/units.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import { plainOf } from '../../../../terminal/roll-call/styled.ts';
import { displayWidth } from '../../../../terminal/roll-call/terminal-text.ts';
import { FIRST_SCREEN, type Screen } from '../../../../terminal/top/keys.ts';
import { nodePageLines } from '../../../../terminal/top/node-lines.ts';
import { pageLines, type Sight } from '../../../../terminal/top/pages.ts';
import { aNode, aRollCall, aZone, EVICTED, NOW, SILENT } from '../../../support/objects/a-roll-call.ts';

const NODES = [
  aNode('n1', EVICTED),
  aNode('n2', SILENT),
  aNode('n3', { isCordoned: true }),
  aNode('n4', { zone: 'b' }),
];

const NODE: Node = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'n1' },
  spec: { taints: [{ key: 'gpu\u001b[31m', value: 'yes', effect: 'NoExecute' }] },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped '.repeat(9),
      },
    ],
  },
};
const PODS: readonly Pod[] = ['web-1', 'web-9'].map((name) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'default',
    ...(name === 'web-9' ? { deletionTimestamp: '2023-11-14T22:13:10Z' } : {}),
  },
  spec: {},
  status: { phase: 'Running' },
}));

const openLines = (columns: number) =>
  nodePageLines(
    {
      node: NODE,
      line: aNode('n1', EVICTED),
      pods: PODS,
      explanation: ['health      Unknown, for 7s', '  a fact      (source)'],
    },
    CONFIG,
    { now: NOW },
    columns,
  );

const sight = (more: Partial<Sight> = {}): Sight => ({
  view: aRollCall(NODES, [
    aZone('a', { reason: '2 of 3 nodes are ready', changedAt: NOW - 60_000 }),
    aZone('b'),
  ]),
  config: CONFIG,
  server: 'https://127.0.0.1:6443',
  source: { is: 'live', asOf: NOW },
  clock: NOW,
  node: openLines(80),
  ...more,
});

const lostFor = (reason: string): Partial<Sight> => ({
  view: { ...sight().view, isPast: true },
  source: { is: 'lost', asOf: NOW - 6_000, since: NOW - 6_000, reason },
});

const textOf = (
  screen: Partial<Screen>,
  given = sight(),
  size = { rows: 24, columns: 80 },
): readonly string[] => pageLines(given, { ...FIRST_SCREEN, ...screen }, size).map(plainOf);

describe('the pages of top', () => {
  it.each(
    [
      { at: 'fleet' } as const,
      { at: 'zone', zone: 'a' } as const,
      { at: 'node', zone: 'a', node: 'n1' } as const,
    ].flatMap((page) =>
      [
        [80, 24],
        [120, 35],
        [40, 8],
        [10, 2],
        [1, 1],
      ].map(([columns = 1, rows = 1]) => ({ page, columns, rows })),
    ),
  )('$page.at fits $columns×$rows', ({ page, columns, rows }) => {
    const lines = textOf({ page }, sight(lostFor('x'.repeat(200))), {
      rows,
      columns,
    });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
  });

  it('begin with the time, the server, and the nodes by mark', () => {
    expect(textOf({})[0]).toBe(
      `${timeOfDay(NOW)} https://127.0.0.1:6443: 4 nodes, 2 Unknown, 1 cordoned, 1 ready`,
    );
  });

  it('say since when the API does not answer', () => {
    const lines = textOf({}, sight(lostFor('connect ECONNREFUSED')), { rows: 24, columns: 140 });
    expect(lines[1]).toBe(
      `no answer since ${timeOfDay(NOW - 6_000)} (6.0s), what is shown is of then, and nothing is forecast: connect ECONNREFUSED`,
    );
    expect(textOf({}).join('\n')).toMatch(/leaves n1|gets its NoExecute taint|1 waits: n2 in/);
    expect(lines.join('\n')).not.toMatch(/\bin \d+s\b|leaves|gets its|becomes/);
    const zone = textOf({ page: { at: 'zone', zone: 'a' } }, sight(lostFor('x')));
    expect(zone.join('\n')).not.toMatch(/\bin \d+s\b|leaves|gets its|becomes/);
  });

  it('show only nodes that match, by name, zone, taint or mark, with the counts of whole zones', () => {
    const only = (filter: string) =>
      textOf({ filter })
        .filter((line) => /^[ab] {5}n/.test(line))
        .map((line) => line.slice(6, 8));
    expect(only('N4')).toEqual(['n4']);
    expect(only('unknown')).toEqual(['n1', 'n2']);
    expect(only('NoExecute')).toEqual(['n1']);
    expect(only('cordoned')).toEqual(['n3']);
    expect(textOf({ filter: 'n3' }).join('\n')).toContain('zone a: Normal, 1 of 3 ready');
    expect(textOf({ filter: 'n3' }).join('\n')).toContain('only "n3"');
  });

  it('of a zone have its nodes, the reason of its state, and what is next in it', () => {
    const text = textOf({ page: { at: 'zone', zone: 'a' }, chosen: 'n2' }).join('\n');
    for (const part of [
      `last change at ${timeOfDay(NOW - 60_000)}, because then: 2 of 3 nodes are ready`,
      'n2    Unknown',
      'pod web-1 leaves n1',
      'Esc back',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('n4');
    expect(textOf({ page: { at: 'zone', zone: 'gone' } }).join('\n')).toContain(
      'zone gone has no node any more',
    );
  });

  it('of a node have taints, conditions, pods with what becomes of them, and the explanation', () => {
    const text = openLines(80).map(plainOf);
    expect(text).toContain(String.raw`  gpu\u001b[31m=yes:NoExecute`);
    expect(text).toContain('  default/web-1  Running  leaves in 9s: tolerates unreachable for 15s');
    expect(text).toContain('  default/web-9  Running  is leaving, for 10.0s');
    expect(text).toContain('    a fact  (source)');
    for (const line of text) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  });

  it('of a node scroll', () => {
    const page = { at: 'node', zone: 'a', node: 'n1' } as const;
    expect(textOf({ page, scroll: 3 }, sight(), { rows: 6, columns: 80 })[1]).toBe(
      plainOf(openLines(80)[3] ?? []),
    );
  });
});
