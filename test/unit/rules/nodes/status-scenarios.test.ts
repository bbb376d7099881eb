import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import { aCondition, aNode, aPod, at, ready } from '../../../support/objects/domain-objects.ts';
import { NodeLifecycleScenario, type PodFault } from '../../../support/upstream/node-lifecycle-scenario.ts';
import { UPSTREAM_TEST_CONFIG } from '../../../support/upstream/upstream-config.ts';

const T0 = at('2015-01-01T12:00:00Z');
const LONG_AGO = at('2012-01-01T00:00:00Z');
const HOUR = 3_600_000;
const MINUTE = 60_000;

const never = (type: string, now: number): Condition => ({
  ...aCondition(type, 'Unknown', LONG_AGO, now),
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
});

const stopped = (type: string, heartbeatAt: number, now: number): Condition => ({
  ...aCondition(type, 'Unknown', heartbeatAt, now),
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
});

const allNever = (now: number): readonly Condition[] =>
  ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => never(type, now));

const READY_AT_T0 = [ready('True', T0)];

interface Row {
  readonly name: string;
  readonly source: string;
  readonly created: number;
  readonly conditions?: readonly Condition[];
  readonly lease?: boolean;
  /** What happens one hour later; without it there is only one pass. */
  readonly second?: 'nothing' | 'lease' | 'status';
  readonly writes: number;
  readonly expected?: readonly Condition[];
  readonly podUpdates?: number;
}

const withoutLease = 'kubernetes v1.34 `TestMonitorNodeHealthUpdateStatus`';
const withLease = 'kubernetes v1.34 `TestMonitorNodeHealthUpdateNodeAndPodStatusWithLease`';
const marking = 'kubernetes v1.34 `TestMonitorNodeHealthMarkPodsNotReady`';
const READY_AND_DISK = [...READY_AT_T0, aCondition('DiskPressure', 'False', T0)];

const rows: readonly Row[] = [
  {
    name: 'an old node that never reported gets four Unknown conditions, and its pods are not marked (R-04)',
    source: withoutLease,
    created: LONG_AGO,
    writes: 1,
    expected: allNever(T0),
  },
  {
    name: 'a new node that has not reported yet is not changed',
    source: withoutLease,
    created: T0,
    writes: 0,
  },
  {
    name: 'a node that stops posting its status becomes Unknown, and so do its pods (R-02)',
    source: withoutLease,
    created: LONG_AGO,
    conditions: READY_AT_T0,
    second: 'nothing',
    writes: 1,
    expected: [stopped('Ready', T0, T0 + HOUR), ...allNever(T0 + HOUR).slice(1)],
    podUpdates: 1,
  },
  {
    name: 'a node whose status was just seen is not silent, however old it is',
    source: withoutLease,
    created: LONG_AGO,
    conditions: READY_AT_T0,
    writes: 0,
  },
  {
    name: 'a new node without status and lease is not changed',
    source: withLease,
    created: T0,
    writes: 0,
  },
  {
    name: 'a new node with only a lease is not changed',
    source: withLease,
    created: T0,
    lease: true,
    writes: 0,
  },
  {
    name: 'an old node without status and lease gets four Unknown conditions',
    source: withLease,
    created: LONG_AGO,
    writes: 1,
    expected: allNever(T0),
  },
  {
    name: 'a renewed lease alone keeps a node alive that never reported',
    source: withLease,
    created: LONG_AGO,
    lease: true,
    second: 'lease',
    writes: 0,
  },
  {
    name: 'a lease that is not renewed lets a node that never reported become Unknown',
    source: withLease,
    created: LONG_AGO,
    lease: true,
    second: 'nothing',
    writes: 1,
    expected: allNever(T0 + HOUR),
  },
  {
    name: 'a renewed lease keeps a node alive whose status does not change',
    source: withLease,
    created: LONG_AGO,
    conditions: READY_AND_DISK,
    lease: true,
    second: 'lease',
    writes: 0,
  },
  {
    name: 'a new status heartbeat keeps a node alive whose lease is not renewed',
    source: withLease,
    created: LONG_AGO,
    conditions: READY_AND_DISK,
    lease: true,
    second: 'status',
    writes: 0,
  },
  {
    name: 'without lease and status a node becomes Unknown, and so do its pods',
    source: withLease,
    created: LONG_AGO,
    conditions: READY_AT_T0,
    lease: true,
    second: 'nothing',
    writes: 1,
    expected: [stopped('Ready', T0, T0 + HOUR), ...allNever(T0 + HOUR).slice(1)],
    podUpdates: 1,
  },
  {
    name: 'pods of a new node without status are not marked',
    source: marking,
    created: T0,
    writes: 0,
  },
  {
    name: 'pods of a ready node are not marked',
    source: marking,
    created: LONG_AGO,
    conditions: READY_AT_T0,
    writes: 0,
  },
];

const start = (row: Row): NodeLifecycleScenario => {
  const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0);
  const { created, conditions } = row;
  scenario.add(aNode({ created, ...(conditions === undefined ? {} : { conditions }) }), [
    aPod({ nodeName: 'node0', conditions: [ready('True', T0)] }),
  ]);
  if (row.lease === true) scenario.renewLease('node0');
  return scenario;
};

const step = (scenario: NodeLifecycleScenario, row: Row): void => {
  scenario.monitor();
  if (row.second === undefined) return;
  scenario.advance(HOUR);
  if (row.second === 'lease') scenario.renewLease('node0');
  if (row.second === 'status') scenario.post('node0', [ready('True', T0 + HOUR, T0)]);
  scenario.monitor();
};

describe('conditions and pods after one or two passes', () => {
  test.each(rows)('$name', (row) => {
    const scenario = start(row);
    step(scenario, row);
    const { nodeWrites, podUpdates } = scenario;
    expect({ nodeWrites, podUpdates }).toEqual({ nodeWrites: row.writes, podUpdates: row.podUpdates ?? 0 });
    if (row.expected !== undefined) expect(scenario.node('node0').status?.conditions).toEqual(row.expected);
  });

  test('a heartbeat time that decreases also counts as a beat', () => {
    const row: Row = { name: '', source: '', created: LONG_AGO, conditions: READY_AT_T0, writes: 0 };
    const scenario = start(row);
    scenario.advance(HOUR);
    scenario.post('node0', [ready('True', T0 - HOUR, T0)]);
    scenario.monitor();
    expect(scenario.nodeWrites).toBe(0);
  });
});

// Source of the tests below: kubernetes v1.34 `TestMonitorNodeHealthMarkPodsNotReady` and its two variants.
describe('pods of a node that falls silent', () => {
  test('are marked not ready after one minute, which is more than the grace period', () => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0);
    scenario.add(aNode({ conditions: READY_AT_T0 }), [aPod({ conditions: [ready('True', T0)] })]);
    scenario.monitor();
    scenario.advance(MINUTE);
    scenario.monitor();
    expect(scenario.podUpdates).toBe(1);
    expect(scenario.events).toEqual(['NodeNotReady node0']);
    expect(scenario.pods('node0')[0]?.status?.conditions).toEqual([ready('False', T0, T0 + MINUTE)]);
  });

  test('are marked once each: 50 nodes with 100 pods make 5000 updates', () => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0);
    const pods = Array.from({ length: 100 }, (_, i) =>
      aPod({ name: `pod${i}`, conditions: [ready('True', T0)] }),
    );
    for (let i = 0; i < 50; i += 1) scenario.add(aNode({ name: `node${i}`, conditions: READY_AT_T0 }), pods);
    scenario.monitor();
    scenario.advance(MINUTE);
    scenario.monitor();
    expect(scenario.podUpdates).toBe(5000);
  });

  test.each<{ name: string; fault: PodFault; updates: number }>([
    { name: 'once if nothing fails', fault: 'none', updates: 1 },
    { name: 'again by the next pass if the update failed', fault: 'update', updates: 2 },
    { name: 'by the next pass if listing the pods failed', fault: 'list', updates: 1 },
  ])('are marked $name', ({ fault, updates }) => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0, fault);
    scenario.add(aNode({ created: T0, conditions: READY_AT_T0 }), [
      aPod({ conditions: [ready('True', T0)] }),
    ]);
    scenario.monitor();
    scenario.advance(MINUTE);
    scenario.monitor();
    scenario.advance(MINUTE);
    scenario.post('node0', [ready('False', T0 + 2_000)]);
    scenario.monitor();
    expect(scenario.podUpdates).toBe(updates);
  });

  test('are not marked if the node is ready again before the second attempt', () => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0, 'list');
    scenario.add(aNode({ conditions: READY_AT_T0 }), [aPod({ conditions: [ready('True', T0)] })]);
    scenario.advance(MINUTE);
    scenario.monitor();
    scenario.post('node0', [ready('True', T0 + MINUTE)]);
    scenario.monitor();
    expect(scenario.podUpdates).toBe(0);
  });
});

describe('the NodeNotReady event', () => {
  test.each([
    {
      name: 'does not come for a node that was Unknown when first seen',
      source: 'kubernetes v1.34 `TestNodeEventGeneration`',
      conditions: [ready('Unknown', LONG_AGO)],
    },
    {
      name: 'does not come for a node that posted False before it fell silent (R-03)',
      source: 'kubernetes v1.34 `monitorNodeHealth`',
      conditions: [ready('False', T0)],
    },
    {
      name: 'does not come for a node that never reported (R-04)',
      source: 'kubernetes v1.34 `monitorNodeHealth`',
      conditions: [],
    },
  ])('$name', ({ conditions }) => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0);
    scenario.add(aNode({ conditions }));
    scenario.monitor();
    scenario.advance(HOUR);
    scenario.monitor();
    expect(scenario.events).toEqual([]);
  });
});

describe('a node that only sends plain heartbeats', () => {
  test('becomes Ready by its first one, Unknown when it stops, and Ready again when it returns', () => {
    const scenario = new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T0);
    scenario.add(aNode({ created: T0 }), [aPod({ conditions: [ready('True', T0)] })]);
    const statuses: (string | undefined)[] = [];
    const pass = (ms: number, beats: boolean): void => {
      scenario.advance(ms);
      if (beats) scenario.beat('node0');
      scenario.monitor();
      const conditions = scenario.node('node0').status?.conditions ?? [];
      statuses.push(conditions.map(({ type, status }) => `${type}=${status}`).join());
    };
    pass(5_000, false);
    pass(5_000, true);
    pass(50_000, false);
    pass(1, false);
    pass(5_000, true);
    expect(statuses).toEqual(['', 'Ready=True', 'Ready=True', 'Ready=Unknown', 'Ready=True']);
    expect(scenario.podUpdates).toBe(1);
  });
});
