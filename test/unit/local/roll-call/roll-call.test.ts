import { describe, expect, it } from 'vitest';
import { describeChanges } from '../../../../local/roll-call/roll-call-changes.ts';
import { screenLines } from '../../../../local/roll-call/roll-call-screen.ts';
import { nodeLines, workTexts, zoneText, zoneTexts } from '../../../../local/roll-call/roll-call-table.ts';
import { type NodeLine, type RollCall, zoneLines } from '../../../../local/roll-call/roll-call-view.ts';
import { cut, displayWidth, padded } from '../../../../local/roll-call/terminal-text.ts';
import { nextSteps, situation } from '../../../../local/roll-call/what-next.ts';
import type { WorkLine, WorkView } from '../../../../local/roll-call/work-view.ts';
import { ageText } from '../../../../local/serving/host-log.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/config/node-lifecycle.ts';
import type { ZoneRecord } from '../../../../shared/ports/control-store.ts';

const NOW = 1_700_000_000_000;

const aNode = (name: string, more: Partial<NodeLine> = {}): NodeLine => ({
  zone: 'a',
  name,
  ready: 'True',
  beatAgeMs: 3_000,
  taints: [],
  pods: 3,
  leaving: [],
  evictions: [],
  ...more,
});

const aRecord = (id: string, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  id,
  key: `:\0:${id}`,
  state: 'Normal',
  size: 2,
  notReady: 0,
  limiter: { rate: 0.1, nextAt: NOW + 7_000 },
  waiting: [],
  waitingCount: 0,
  pass: 1,
  updatedAt: NOW,
  ...more,
});

const aRollCall = (
  nodes: readonly NodeLine[],
  records: readonly ZoneRecord[] = [aRecord('a')],
  quietUntil = 0,
  more: Partial<WorkView> = {},
): RollCall => ({
  now: NOW,
  nodes,
  zones: zoneLines(nodes, records),
  quietUntil,
  work: [],
  waitingPods: [],
  ...more,
});

const aWorkload = (name: string, more: Partial<WorkLine> = {}): WorkLine => ({
  kind: 'deployment',
  namespace: 'default',
  name,
  wanted: 3,
  ready: 3,
  ...more,
});
const withWork = (...work: readonly WorkLine[]): RollCall => aRollCall([aNode('n1')], undefined, 0, { work });

const SILENT = { ready: 'Unknown', beatAgeMs: 125_000, taints: ['unreachable:NoSchedule'] } as const;
const EVICTED = {
  ...SILENT,
  taints: ['unreachable:NoSchedule', 'unreachable:NoExecute'],
  pods: 2,
  leaving: ['web-9'],
  evictions: [{ name: 'web-1', fireAt: NOW + 9_000, reason: 'tolerates unreachable for 15 s' }],
} as const;
const STOPPED = { state: 'FullDisruption', limiter: { rate: 0, nextAt: 0 } } as const;

describe('an age', () => {
  it.each([
    [undefined, 'never'],
    [0, '0.0s'],
    [12_345, '12.3s'],
    [125_000, '2m05s'],
  ])('of %s ms is shown as %s', (ms, text) => expect(ageText(ms)).toBe(text));
});

describe('text on a terminal', () => {
  it.each([
    ['rackA', 5],
    ['東京', 4],
    ['n🚀', 3],
    ['é', 1],
    ['ｗ', 2],
  ])('%s takes %i columns', (text, columns) => expect(displayWidth(text)).toBe(columns));

  it.each([
    ['n12', 3, 'n12'],
    ['n1234', 4, 'n12…'],
    ['東京都', 5, '東京…'],
    ['東京都', 4, '東…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('%s in %i columns is %s', (text, columns, shown) => expect(cut(text, columns)).toBe(shown));

  it('is padded by its display width', () => expect(padded('東', 4)).toBe('東  '));
});

describe('the table of nodes', () => {
  it('has a line for each node in columns', () => {
    expect(nodeLines([aNode('n1'), aNode('n2', EVICTED)], 20, 80)).toEqual([
      'ZONE  NODE  READY    LAST BEAT  PODS          TAINTS',
      'a     n1    True     3.0s       3             -',
      'a     n2    Unknown  2m05s      2 +1 leaving  unreachable:NoSchedule,NoExecute',
    ]);
  });

  it('shows nodes with problems first if there is no room for all, and counts the others', () => {
    const nodes = [aNode('n1'), aNode('n2', SILENT), aNode('n3'), aNode('n4', SILENT)];
    expect(nodeLines(nodes, 3, 80).slice(1)).toEqual([
      expect.stringContaining('n2'),
      '… and 3 more, 1 of them not ready or tainted',
    ]);
    expect(nodeLines(nodes, 4, 80).at(-1)).toBe('… and 2 more, ready');
  });

  it('cuts long names', () => {
    const [, line = ''] = nodeLines([aNode('n'.repeat(60), { zone: 'z'.repeat(60) })], 5, 60);
    expect(line).toMatch(/^z{19}… {2}n{19}… {2}True/);
  });
});

describe('workloads', () => {
  const work = [aWorkload('web'), aWorkload('api', { ready: 1 }), aWorkload('cron')];

  it('have a line each, those that are not whole first if there is no room for all', () => {
    expect(workTexts(work, 3)).toEqual([
      'deployment web: 3 of 3 ready',
      'deployment api: 1 of 3 ready',
      'deployment cron: 3 of 3 ready',
    ]);
    expect(workTexts(work, 2)).toEqual(['deployment api: 1 of 3 ready', '… and 2 more workloads, all ready']);
    expect(workTexts([...work, aWorkload('db', { ready: 0 })], 2).at(-1)).toBe(
      '… and 3 more workloads, 1 of them not all ready',
    );
  });

  it('are told when the number of ready pods changes', () => {
    const [before, after] = [withWork(aWorkload('web')), withWork(aWorkload('web', { ready: 1 }))];
    expect(describeChanges(before, after)).toEqual(['deployment web: 1 of 3 ready']);
    expect(describeChanges(after, after)).toEqual([]);
  });

  it('tell once of a pod that waits for a node, and why', () => {
    const before = aRollCall([aNode('n1')]);
    const waitingPods = [
      { name: 'web-7', reason: '0/1 nodes are available: 1 Insufficient cpu.' },
      { name: 'web-8', reason: '0/1 nodes are available: 1 Insufficient cpu.' },
    ];
    const after = aRollCall([aNode('n1')], undefined, 0, { waitingPods });
    expect(describeChanges(before, after)[0]).toBe(
      'pod web-7 waits for a node: 0/1 nodes are available: 1 Insufficient cpu.',
    );
    expect(describeChanges(after, after)).toEqual([]);
    expect(situation(after, CONFIG)).toContain(
      'pod web-7 waits for a node, as 1 more do: 0/1 nodes are available: 1 Insufficient cpu.',
    );
  });

  it('say why a pod of a StatefulSet has no successor', () => {
    const nodes = [aNode('n1', { ...SILENT, leaving: ['store-0', 'web-x2x'] })];
    const view = aRollCall(nodes, undefined, 0, { work: [aWorkload('store', { kind: 'statefulset' })] });
    expect(situation(view, CONFIG).filter((line) => line.includes('successor'))).toEqual([
      'store-0 has no successor: it may still run on n1, until that answers or its Node is deleted',
    ]);
  });
});

describe('a zone', () => {
  it('shows counts of its current nodes, not of the last pass', () => {
    const nodes = [aNode('n1'), aNode('n2', SILENT)];
    expect(zoneLines(nodes, [aRecord('a', { notReady: 0, size: 9 })])[0]).toMatchObject({
      size: 2,
      ready: 1,
      waiting: ['n2'],
    });
  });

  it('has the name in its labels', () => {
    const [zone] = zoneLines([aNode('n1', { zone: 'eu/rackA' })], [aRecord('x', { key: 'eu:\0:rackA' })]);
    expect(zone && zoneText(zone)).toBe('zone eu/rackA: Normal, 1 of 1 ready, 0.1/s');
  });

  it('that no pass has seen says so', () => {
    const [zone] = zoneLines([aNode('n1')], []);
    expect(zone && zoneText(zone)).toBe('zone a: Initial, 1 of 1 ready, no pass yet');
  });

  it('is folded into one line with others if there are many; zones with problems stay longest', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((zone) => aNode(zone, { zone, ...(zone === 'c' ? SILENT : {}) }));
    const zones = zoneLines(
      nodes,
      ['a', 'b', 'c', 'd'].map((id) => aRecord(id)),
    );
    expect(zoneTexts(zones, 2)).toEqual([
      'zone c: Normal, 0 of 1 ready, 0.1/s, 1 waiting for a NoExecute taint',
      '… and 3 more zones: 3 of 3 nodes ready',
    ]);
  });
});

describe('the situation', () => {
  const of = (...given: Parameters<typeof aRollCall>): string =>
    situation(aRollCall(...given), CONFIG).join('; ');

  it.each<[string, Parameters<typeof aRollCall>, RegExp]>([
    ['without nodes', [[], []], /^no node has registered yet$/],
    ['where all answer', [[aNode('n1')]], /^nothing is due: every node answers$/],
    [
      'before any node answered',
      [[aNode('n1', { ready: '-', beatAgeMs: undefined })], []],
      /^1 of 1 nodes have not reported Ready yet$/,
    ],
    [
      'in full disruption',
      [[aNode('n1', SILENT), aNode('n2', SILENT)], [aRecord('a', STOPPED)]],
      /^no pod is evicted: every zone is down, so it may be the network; 2 of 2 nodes do not answer/,
    ],
    [
      'when one zone is partially disrupted',
      [
        [aNode('n1', SILENT), aNode('n2', { zone: 'b' })],
        [aRecord('a', { ...STOPPED, state: 'PartialDisruption' }), aRecord('b')],
      ],
      /^zone a: evictions stopped, 1 of 1 nodes are down; 1 of 2 nodes do/,
    ],
    [
      'of a node that is not ready',
      [[aNode('n1', { ready: 'False' })]],
      /^1 of 1 nodes do not answer or are/,
    ],
    ['after an absence', [[aNode('n1')], [aRecord('a')], NOW + 40_000], /^evictions are paused until \d\d:/],
  ])('%s', (_, given, text) => expect(of(...given)).toMatch(text));

  it.each<[string, readonly NodeLine[]]>([
    ['a late node', [aNode('n1', { beatAgeMs: 20_000 })]],
    ['a deadline', [aNode('n1', { evictions: EVICTED.evictions })]],
  ])('never says that nothing is due with %s', (_, nodes) => expect(of(nodes)).not.toContain('nothing'));
});

describe('what is next', () => {
  it('is that a silent node becomes Unknown at the first pass after the grace period', () => {
    const [step] = nextSteps(aRollCall([aNode('n1', { beatAgeMs: 20_000 })]), CONFIG);
    expect(step?.text).toBe('n1 becomes Unknown: silent for 20.0s of 40.0s');
    const after = (step?.at ?? 0) - (NOW - 20_000);
    expect(after).toBeGreaterThan(40_000);
    expect(after).toBeLessThanOrEqual(45_000);
  });

  it('is a taint when the limiter allows it, then the deadlines with their reasons, the soonest first', () => {
    const view = aRollCall([aNode('n1', SILENT), aNode('n2', EVICTED)]);
    expect(nextSteps(view, CONFIG)).toEqual([
      { at: NOW + 7_000, text: 'zone a: the next NoExecute taint, 1 wait, one each 10 s' },
      { at: NOW + 9_000, text: 'pod web-1 leaves n2: tolerates unreachable for 15 s' },
    ]);
  });

  it('is no taint if evictions are stopped', () => {
    const view = aRollCall([aNode('n1', SILENT)], [aRecord('a', STOPPED)]);
    expect(nextSteps(view, CONFIG)).toEqual([]);
  });

  it('waits until evictions go on after an absence', () => {
    const view = aRollCall([aNode('n1', SILENT)], [aRecord('a')], NOW + 30_000);
    expect(nextSteps(view, CONFIG)[0]?.at).toBe(NOW + 30_000);
  });
});

describe('lines of a log', () => {
  it('tell what changed between two readings and why, and nothing else', () => {
    const before = aRollCall([aNode('n1'), aNode('n2', { evictions: EVICTED.evictions })]);
    expect(describeChanges(before, { ...before, now: NOW + 1_000 })).toEqual([]);
    const after = aRollCall([aNode('n1'), aNode('n2', { ...EVICTED, leaving: ['web-1'] })]);
    expect(describeChanges(before, after)).toEqual([
      'node n2 (zone a): Ready True -> Unknown, last beat 2m05s ago, +unreachable:NoSchedule, +unreachable:NoExecute, pods 3 -> 2 +1 leaving',
      'pod web-1 leaves n2: tolerates unreachable for 15 s',
      'zone a: Normal, 1 of 2 ready, 0.1/s',
    ]);
  });

  it('tell that a node is gone', () => {
    const [before, after] = [aRollCall([aNode('n1'), aNode('n2')]), aRollCall([aNode('n1')])];
    expect(describeChanges(before, after)).toContain('node n2: gone');
  });
});

describe('the screen', () => {
  const surroundings = {
    header: [
      'Rollcall answers at https://127.0.0.1:33029',
      'kubectl --kubeconfig .rollcall/kubeconfig get nodes',
    ],
    footer: ['in another terminal: npx rollcall outage --zone a', 'kill -9 this process and start it again'],
    recent: Array.from({ length: 6 }, (_, index) => `a line of the log ${index} ${'x'.repeat(200)}`),
  };
  const fleet = (nodes: number, zones: number): RollCall => {
    const names = Array.from({ length: zones }, (_, zone) => `zone-東京-${zone}`);
    const lines = Array.from({ length: nodes }, (_, node) =>
      aNode(`n${node}`, { zone: names[node % zones] ?? '', ...(node % 3 === 0 ? EVICTED : {}) }),
    );
    return aRollCall(
      lines,
      names.map((name) => aRecord(name)),
    );
  };

  const SIZES = [
    [80, 24],
    [60, 20],
    [200, 50],
    [20, 5],
    [1, 1],
    [80, 2],
  ] as const;
  const FLEETS = [
    [0, 1],
    [1, 1],
    [12, 3],
    [400, 200],
    [10_000, 3],
  ] as const;
  const CASES = SIZES.flatMap(([columns, rows]) =>
    FLEETS.map(([nodes, zones]) => ({ columns, rows, nodes, zones })),
  );

  it.each(CASES)(
    'of $columns×$rows holds $nodes nodes in $zones zones',
    ({ columns, rows, nodes, zones }) => {
      const lines = screenLines(fleet(nodes, zones), CONFIG, surroundings, { rows, columns });
      expect(lines.length).toBeLessThan(Math.max(rows, 1));
      for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
    },
  );

  const demonstration = (silent: number): string => {
    const nodes = Array.from({ length: 12 }, (_, node) =>
      aNode(`n${node + 1}`, { zone: 'abc'[Math.floor(node / 4)] ?? '', ...(node < silent ? EVICTED : {}) }),
    );
    const records = ['a', 'b', 'c'].map((id) => aRecord(id));
    return screenLines(aRollCall(nodes, records), CONFIG, surroundings, { rows: 24, columns: 80 }).join('\n');
  };

  it.each([
    ['in an outage', 4, ['pod web-1 leaves n1']],
    ['where all answer', 0, ['nothing is due', 'npx rollcall outage --zone a']],
  ])('of 80×24 has every machine of the demonstration and what is next %s', (_, silent, parts) => {
    const text = demonstration(silent);
    for (const part of ['n1 ', 'n12 ', 'zone a', 'zone c', 'Rollcall answers', ...parts])
      expect(text).toContain(part);
    expect(text).not.toMatch(/… and/);
  });

  it('of 80×24 folds 200 zones and still shows nodes and next steps', () => {
    const text = screenLines(fleet(400, 200), CONFIG, surroundings, { rows: 24, columns: 80 }).join('\n');
    expect(text).toMatch(/… and \d+ more zones/);
    expect(text).toMatch(/… and \d+ more/);
    expect(text).toContain('leaves');
  });

  it('without nodes says so', () => {
    const text = screenLines(aRollCall([], []), CONFIG, surroundings, { rows: 24, columns: 80 }).join('\n');
    expect(text).toContain('no node has registered yet');
    expect(text).not.toContain('NODE');
  });
});
