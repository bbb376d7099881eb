import { describe, expect, it } from 'vitest';
import { ageText, describeChanges, renderTable } from '../../../local/roll-call-table.ts';
import type { NodeLine, RollCall } from '../../../local/roll-call-view.ts';
import { nextSteps } from '../../../local/what-next.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../shared/config/node-lifecycle.ts';
import type { ZoneRecord } from '../../../shared/ports/control-store.ts';

const NOW = 1_700_000_000_000;

const aNode = (name: string, more: Partial<NodeLine> = {}): NodeLine => ({
  zone: 'a',
  name,
  ready: 'True',
  beatAgeMs: 3_000,
  taints: [],
  pods: 3,
  leaving: 0,
  ...more,
});

const aZone = (more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  id: 'a',
  key: ':\0:a',
  state: 'Normal',
  size: 4,
  notReady: 0,
  limiter: { rate: 0.1, nextAt: NOW + 7_000 },
  waiting: [],
  waitingCount: 0,
  pass: 1,
  updatedAt: NOW,
  ...more,
});

const aRollCall = (more: Partial<RollCall> = {}): RollCall => ({
  now: NOW,
  nodes: [aNode('n1'), aNode('n2')],
  zones: [aZone()],
  deadlines: [],
  quietUntil: 0,
  ...more,
});

const UNKNOWN = aNode('n2', {
  ready: 'Unknown',
  beatAgeMs: 125_000,
  taints: ['unreachable:NoSchedule', 'unreachable:NoExecute'],
  pods: 2,
  leaving: 1,
});

describe('an age', () => {
  it.each([
    [undefined, 'never'],
    [0, '0.0s'],
    [12_345, '12.3s'],
    [125_000, '2m05s'],
  ])('of %s ms is shown as %s', (ms, text) => expect(ageText(ms)).toBe(text));
});

describe('the roll-call table', () => {
  it('has a line for each node in columns, the zones and what is next', () => {
    const lines = renderTable(aRollCall({ nodes: [aNode('n1'), UNKNOWN] }), CONFIG, 20);
    expect(lines.slice(0, 3)).toEqual([
      'ZONE  NODE  READY    LAST BEAT  PODS          TAINTS',
      'a     n1    True     3.0s       3             -',
      'a     n2    Unknown  2m05s      2 +1 leaving  unreachable:NoSchedule unreachable:NoExecute',
    ]);
    expect(lines).toContain('zone a: Normal, 4 of 4 ready, 0.1/s');
    expect(lines.at(-1)).toBe('next: nothing is due; every node answers');
  });

  it('shows those that need a look first where there is no room for all', () => {
    const lines = renderTable(aRollCall({ nodes: [aNode('n1'), UNKNOWN] }), CONFIG, 1);
    expect(lines[1]).toContain('n2');
    expect(lines[2]).toBe('… and 1 more');
  });

  it('says that evictions rest after an absence', () => {
    const lines = renderTable(aRollCall({ quietUntil: NOW + 40_000 }), CONFIG, 20);
    expect(lines.join('\n')).toMatch(/evictions rest until \d\d:\d\d:\d\d: the host was away/);
  });
});

describe('lines of a log', () => {
  it('tell what changed from one look to the next, and nothing else', () => {
    const before = aRollCall();
    expect(describeChanges(before, { ...before, now: NOW + 1_000 })).toEqual([]);
    const after = aRollCall({
      nodes: [aNode('n1'), UNKNOWN],
      zones: [aZone({ notReady: 1, waitingCount: 1 })],
    });
    expect(describeChanges(before, after)).toEqual([
      'node n2 (zone a): Ready True -> Unknown, last beat 2m05s ago, +unreachable:NoSchedule, +unreachable:NoExecute, pods 3 -> 2 +1 leaving',
      'zone a: Normal, 3 of 4 ready, 0.1/s, 1 waiting for a NoExecute taint',
    ]);
  });

  it('tell of a node that is gone', () => {
    expect(describeChanges(aRollCall(), aRollCall({ nodes: [aNode('n1')] }))).toEqual(['node n2: gone']);
  });
});

describe('what is next', () => {
  it('is a silence that ends with the first pass after the grace period', () => {
    const view = aRollCall({ nodes: [aNode('n1', { beatAgeMs: 20_000 })] });
    const [step] = nextSteps(view, CONFIG, 5);
    expect(step?.text).toBe('n1 becomes Unknown');
    const after = (step?.at ?? 0) - (NOW - 20_000);
    expect(after).toBeGreaterThan(40_000);
    expect(after).toBeLessThanOrEqual(45_000);
  });

  it('is a taint at the instant of the limiter, then the deadlines, the soonest first', () => {
    const deadline = { uid: 'u', start: NOW, namespace: 'default', nodeName: 'n2' };
    const view = aRollCall({
      zones: [aZone({ waitingCount: 2 })],
      deadlines: [
        { ...deadline, name: 'late', fireAt: NOW + 60_000 },
        { ...deadline, name: 'soon', fireAt: NOW + 9_000 },
      ],
    });
    expect(nextSteps(view, CONFIG, 2)).toEqual([
      { at: NOW + 7_000, text: 'the next NoExecute taint in zone a (2 waiting)' },
      { at: NOW + 9_000, text: 'pod soon leaves n2' },
    ]);
  });

  it('waits for the end of the rest after an absence', () => {
    const view = aRollCall({ zones: [aZone({ waitingCount: 1 })], quietUntil: NOW + 30_000 });
    expect(nextSteps(view, CONFIG, 1)[0]?.at).toBe(NOW + 30_000);
  });
});
