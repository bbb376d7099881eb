import { describe, expect, it } from 'vitest';
import type { RollCall, WorkLine } from '../../../../shared/rules/roll-call/roll-call.ts';
import { situation } from '../../../../shared/rules/roll-call/situation.ts';
import { zoneLines } from '../../../../shared/rules/roll-call/zone-lines.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import { describeChanges } from '../../../../terminal/roll-call/roll-call-changes.ts';
import { nodeTable, workLines } from '../../../../terminal/roll-call/roll-call-table.ts';
import { plainOf } from '../../../../terminal/roll-call/styled.ts';
import { cut, displayWidth, padded } from '../../../../terminal/roll-call/terminal-text.ts';
import { zonesFolded, zoneText } from '../../../../terminal/roll-call/zone-texts.ts';
import {
  aNode,
  aRollCall,
  aWorkload,
  aZone,
  EVICTED,
  NOW,
  SILENT,
} from '../../../support/objects/a-roll-call.ts';

const withWork = (...work: readonly WorkLine[]): RollCall => aRollCall([aNode('n1')], undefined, 0, { work });

const nodeLines = (view: RollCall, rows: number, columns: number): readonly string[] =>
  nodeTable(view, rows, { config: CONFIG, columns }).map(plainOf);
const workTexts = (work: readonly WorkLine[], rows: number) => workLines(work, rows).map(plainOf);

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
    expect(nodeLines(aRollCall([aNode('n1'), aNode('n2', EVICTED)]), 20, 80)).toEqual([
      'ZONE  NODE  STATE    LAST BEAT  PODS          TAINTS',
      'a     n1    ready    3.0s       3             -',
      'a     n2    Unknown  2m05s      2 +1 leaving  unreachable:NoSchedule,NoExecute',
    ]);
  });

  it('shows nodes with problems first if there is no room for all, and counts the others', () => {
    const nodes = [aNode('n1'), aNode('n2', SILENT), aNode('n3'), aNode('n4', SILENT)];
    expect(nodeLines(aRollCall(nodes), 3, 80).slice(1)).toEqual([
      expect.stringContaining('n2'),
      '… and 3 more, 1 of them not ready or tainted',
    ]);
    expect(nodeLines(aRollCall(nodes), 4, 80).at(-1)).toBe('… and 2 more, ready');
  });

  it('cuts long names', () => {
    const [, line = ''] = nodeLines(aRollCall([aNode('n'.repeat(60), { zone: 'z'.repeat(60) })]), 5, 60);
    expect(line).toMatch(/^z{19}… {2}n{19}… {2}ready/);
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
});

describe('a zone', () => {
  it('has the name in its labels', () => {
    const [zone] = zoneLines([aNode('n1', { zone: 'eu/rackA' })], [aZone('x', { key: 'eu:\0:rackA' })]);
    expect(zone && zoneText(zone)).toBe('zone eu/rackA: Normal, 1 of 1 ready (100%), 0.1/s');
  });

  it('that no pass has seen says so', () => {
    const [zone] = zoneLines([aNode('n1')], []);
    expect(zone && zoneText(zone)).toBe('zone a: Initial, 1 of 1 ready (100%), no pass yet');
  });

  it('is folded into one line with others if there are many; zones with problems stay longest', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((zone) => aNode(zone, { zone, ...(zone === 'c' ? SILENT : {}) }));
    const zones = zoneLines(
      nodes,
      ['a', 'b', 'c', 'd'].map((id) => aZone(id)),
    );
    expect(zonesFolded({ zones, now: NOW }, 2).map(plainOf)).toEqual([
      'zone c: Normal, 0 of 1 ready (0%), 0.1/s, 1 waits: c in 7s',
      '… and 3 more zones: 3 of 3 nodes ready',
    ]);
  });
});

describe('lines of a log', () => {
  it('tell what changed between two readings and why, and nothing else', () => {
    const before = aRollCall([aNode('n1'), aNode('n2', { evictions: EVICTED.evictions })]);
    expect(describeChanges(before, { ...before, now: NOW + 1_000 })).toEqual([]);
    const after = aRollCall([aNode('n1'), aNode('n2', { ...EVICTED, leaving: ['web-1'] })]);
    expect(describeChanges(before, after)).toEqual([
      'node n2 (zone a): Ready True -> Unknown, last beat 2m05s ago, +unreachable:NoSchedule, +unreachable:NoExecute, pods 3 -> 2 +1 leaving',
      'pod web-1 leaves n2: tolerates unreachable for 15s',
      'zone a: Normal, 1 of 2 ready (50%), 0.1/s',
    ]);
  });

  it('tell that a node is gone', () => {
    const [before, after] = [aRollCall([aNode('n1'), aNode('n2')]), aRollCall([aNode('n1')])];
    expect(describeChanges(before, after)).toContain('node n2: gone');
  });
});
