import { describe, expect, test } from 'vitest';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import { taintsOf } from '../../../../shared/rules/nodes/taints.ts';
import { aCondition, aNode, at, ready, zoneLabels } from '../../../support/objects/domain-objects.ts';
import { NodeLifecycleScenario, noExecuteKeys } from '../../../support/upstream/node-lifecycle-scenario.ts';
import { UPSTREAM_TEST_CONFIG } from '../../../support/upstream/upstream-config.ts';

const T = at('2017-01-01T12:00:00Z');
const OLD = at('2015-01-01T12:00:00Z');

const start = (): NodeLifecycleScenario => new NodeLifecycleScenario(UPSTREAM_TEST_CONFIG, T);

const add = (scenario: NodeLifecycleScenario, name: string, status: ConditionStatus): void =>
  scenario.add(
    aNode({ name, labels: zoneLabels('r1', 'z1'), conditions: [ready(status, status === 'True' ? T : OLD)] }),
  );

const taints = (scenario: NodeLifecycleScenario, ...names: string[]): unknown =>
  Object.fromEntries(names.map((name) => [name, noExecuteKeys(scenario.node(name))]));

// Source: kubernetes v1.34 `TestApplyNoExecuteTaints`.
describe('NoExecute tainting', () => {
  test('adds unreachable to Unknown nodes, not-ready to False ones, and none to a node that recovered', () => {
    const scenario = start();
    for (const [name, status] of [
      ['n0', 'Unknown'],
      ['n1', 'True'],
      ['n2', 'False'],
      ['n3', 'True'],
    ] as const)
      add(scenario, name, status);
    scenario.monitor();
    scenario.taint();
    expect(taints(scenario, 'n0', 'n2')).toEqual({ n0: [TAINT_UNREACHABLE], n2: [TAINT_NOT_READY] });

    scenario.post('n2', [ready('True', T + 600_000)]);
    scenario.monitor();
    scenario.taint();
    expect(taintsOf(scenario.node('n2'))).toEqual([]);
  });

  test('reads a waiting node again: without a Ready condition it gets no taint', () => {
    const scenario = start();
    add(scenario, 'n1', 'True');
    add(scenario, 'n3', 'True');
    scenario.monitor();
    scenario.post('n3', [ready('False', T + 600_000)]);
    scenario.monitor();
    scenario.post('n3', [aCondition('MemoryPressure', 'Unknown', T)]);
    scenario.taint();
    expect(taintsOf(scenario.node('n3'))).toEqual([]);
  });
});

// Source: kubernetes v1.34 `TestApplyNoExecuteTaintsToUnreachableNode`.
describe('a silent node', () => {
  test('is tainted after the pass that finds it silent, and untainted by the pass after its return', () => {
    const scenario = start();
    add(scenario, 'n0', 'True');
    add(scenario, 'n1', 'True');
    scenario.monitor();
    scenario.taint();
    expect(taints(scenario, 'n0', 'n1')).toEqual({ n0: [], n1: [] });

    scenario.advance(51_000);
    scenario.post('n1', [ready('True', T + 51_000, T)]);
    scenario.monitor();
    scenario.taint();
    expect(taints(scenario, 'n0', 'n1')).toEqual({ n0: [TAINT_UNREACHABLE], n1: [] });

    scenario.post('n0', [ready('True', T + 51_000)]);
    scenario.monitor();
    scenario.taint();
    expect(taintsOf(scenario.node('n0'))).toEqual([]);
  });
});

// Source: kubernetes v1.34 `TestApplyNoExecuteTaintsToNodesEnqueueTwice`.
describe('nodes that several passes find waiting', () => {
  test('do not delay later nodes', () => {
    const scenario = start();
    add(scenario, 'n0', 'Unknown');
    add(scenario, 'n1', 'True');
    add(scenario, 'n2', 'False');
    scenario.monitor();
    scenario.monitor();
    scenario.post('n0', [ready('True', T + 600_000)]);
    add(scenario, 'n3', 'Unknown');
    add(scenario, 'n4', 'True');
    add(scenario, 'n5', 'False');
    scenario.monitor();
    scenario.taint();
    expect(taints(scenario, 'n0', 'n3', 'n5')).toEqual({
      n0: [],
      n3: [TAINT_UNREACHABLE],
      n5: [TAINT_NOT_READY],
    });
  });
});

// Source: kubernetes v1.34 `TestSwapUnreachableNotReadyTaints`.
describe('a tainted node whose Ready changes', () => {
  test('has its taint swapped by the monitor at once, without waiting for a token', () => {
    const scenario = start();
    add(scenario, 'n0', 'Unknown');
    add(scenario, 'n1', 'True');
    scenario.monitor();
    scenario.taint();
    expect(taints(scenario, 'n0')).toEqual({ n0: [TAINT_UNREACHABLE] });

    scenario.post('n0', [ready('False', T + 540_000)]);
    scenario.post('n1', [ready('True', T + 600_000)]);
    scenario.monitor();
    expect(taints(scenario, 'n0')).toEqual({ n0: [TAINT_NOT_READY] });
  });
});

describe('full disruption', () => {
  test('removes the taints of every node, also of one that was tainted after the pass had begun', () => {
    const scenario = start();
    add(scenario, 'n0', 'Unknown');
    add(scenario, 'n1', 'True');
    scenario.monitor();
    scenario.taint();
    scenario.advance(51_000);
    scenario.monitor();
    expect(taints(scenario, 'n0', 'n1')).toEqual({ n0: [], n1: [] });
    scenario.taint();
    expect(taints(scenario, 'n0', 'n1')).toEqual({ n0: [], n1: [] });
  });

  test('gives every node a new grace period when it ends', () => {
    const scenario = start();
    add(scenario, 'n0', 'True');
    add(scenario, 'n1', 'True');
    scenario.advance(51_000);
    scenario.monitor();
    scenario.advance(1_000);
    const returned = scenario.now;
    scenario.post('n1', [ready('True', returned)]);
    scenario.monitor();
    expect(scenario.clockFloor).toBe(returned);
    expect(scenario.zoneStates()).toEqual({ 'r1:\0:z1': 'Normal' });
  });
});
