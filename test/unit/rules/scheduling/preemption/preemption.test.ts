import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../../../shared/kube/types/policy.ts';
import type { Refusal } from '../../../../../shared/rules/scheduling/cluster/framework.ts';
import type { PopulatedNode } from '../../../../../shared/rules/scheduling/pods/placement.ts';
import type { FailedAttempt } from '../../../../../shared/rules/scheduling/preemption/preemption.ts';
import {
  bestCandidate,
  decidePreemption,
  outrankedNominations,
  PREEMPTION_BY_SCHEDULER,
} from '../../../../../shared/rules/scheduling/preemption/preemption.ts';
import type { Trial } from '../../../../../shared/rules/scheduling/preemption/preemption-victims.ts';
import { ready } from '../../../../support/objects/domain-objects.ts';
import type { PlacedPodParts } from '../../../../support/scheduling/scheduling-objects.ts';
import { placedPod, populatedBy } from '../../../../support/scheduling/scheduling-objects.ts';

/** A node has room for this many pods. */
const ROOM = 2;

const FULL: Refusal = { reasons: ['Too many pods'], isResolvable: true };
const TAINTED: Refusal = { reasons: ['node(s) had untolerated taint(s)'], isResolvable: false };

const victim = (name: string, priority: number, start = 0, parts: PlacedPodParts = {}): Pod =>
  placedPod({ name, priority, start, ...parts });

const preemptor = (parts: PlacedPodParts = {}): Pod => placedPod({ name: 'new', priority: 100, ...parts });

const leaving: PlacedPodParts = {
  isTerminating: true,
  status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: PREEMPTION_BY_SCHEDULER }] },
};

const roomFor = (room: number): Trial => ({
  without: (at, pods) => ({ ...at, pods: at.pods.filter((pod) => !pods.includes(pod)) }),
  with: (at, pod) => ({ ...at, pods: [...at.pods, pod] }),
  refusal: ({ pods }) => (pods.length < room ? undefined : FULL),
});

const attemptOn = (nodes: readonly PopulatedNode[], more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  pod: preemptor(),
  nodes,
  refusals: new Map(nodes.map(({ node }) => [node.metadata.name, FULL])),
  budgets: [],
  trial: roomFor(ROOM),
  chance: 0,
  ...more,
});

/** The node and the names of its victims, or the message. */
const outcomeOf = (attempt: FailedAttempt): string => {
  const decision = decidePreemption(attempt);
  if ('message' in decision) return decision.message;
  return `${decision.nominatedNodeName}: ${decision.victims.map(({ metadata }) => metadata.name).join(' ')}`;
};

const budget = (
  disruptionsAllowed: number,
  labels: Readonly<Record<string, string>> = { guarded: 'yes' },
  status: Partial<PodDisruptionBudgetStatus> = {},
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default' },
  spec: { selector: { matchLabels: labels } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, ...status },
});

const guarded: PlacedPodParts = { labels: { guarded: 'yes' } };

const NO_VICTIMS = '0/1 nodes are available: 1 No preemption victims found for incoming pod.';
const NOT_HELPFUL = '0/1 nodes are available: 1 Preemption is not helpful for scheduling.';

describe('decidePreemption', () => {
  it.each<[string, FailedAttempt, string]>([
    [
      'U-01 preemptionPolicy Never',
      attemptOn(populatedBy({ a1: [victim('x', 1), victim('y', 1)] }), {
        pod: preemptor({ spec: { preemptionPolicy: 'Never' } }),
      }),
      'not eligible due to preemptionPolicy=Never.',
    ],
    [
      'U-02 victims of the nominated node are still leaving',
      attemptOn(populatedBy({ a1: [victim('x', 1), victim('y', 1, 0, leaving)] }), {
        pod: preemptor({ status: { nominatedNodeName: 'a1' } }),
      }),
      'not eligible due to a terminating pod on the nominated node.',
    ],
    [
      'U-02 pods that leave for another reason do not count',
      attemptOn(populatedBy({ a1: [victim('x', 2), victim('y', 1, 0, { isTerminating: true })] }), {
        pod: preemptor({ status: { nominatedNodeName: 'a1' } }),
      }),
      'a1: y',
    ],
    [
      'U-02 the nominated node can no longer help',
      attemptOn(
        populatedBy({
          a1: [victim('x', 1), victim('y', 1, 0, leaving)],
          b1: [victim('z', 1), victim('w', 2)],
        }),
        {
          pod: preemptor({ status: { nominatedNodeName: 'a1' } }),
          refusals: new Map([
            ['a1', TAINTED],
            ['b1', FULL],
          ]),
        },
      ),
      'b1: z',
    ],
    [
      'U-03 a refusal that other pods cannot lift',
      attemptOn(populatedBy({ a1: [victim('x', 1), victim('y', 1)] }), {
        refusals: new Map([['a1', TAINTED]]),
      }),
      NOT_HELPFUL,
    ],
    [
      'U-03 a node that was left out before the filters',
      attemptOn(populatedBy({ a1: [victim('x', 1)] }), { refusals: new Map() }),
      NOT_HELPFUL,
    ],
    [
      'U-04 nobody has a lower priority',
      attemptOn(populatedBy({ a1: [victim('x', 100), victim('y', 200)] })),
      NO_VICTIMS,
    ],
    [
      'U-05 the failure that stays without the victims',
      attemptOn(populatedBy({ a1: [victim('x', 1), victim('y', 200), victim('z', 200)] })),
      '0/1 nodes are available: 1 Too many pods.',
    ],
    [
      'U-05 the counts of all nodes are sorted as text',
      attemptOn(populatedBy({ a1: [victim('x', 200), victim('y', 200)], b1: [victim('z', 200)], c1: [] }), {
        refusals: new Map([
          ['a1', FULL],
          ['b1', TAINTED],
        ]),
      }),
      '0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    ],
    [
      'U-06 the lowest priority goes',
      attemptOn(populatedBy({ a1: [victim('x', 5), victim('y', 3), victim('z', 99)] }), {
        trial: roomFor(3),
      }),
      'a1: y',
    ],
    [
      'U-06 among equals the one that started last goes',
      attemptOn(populatedBy({ a1: [victim('x', 1, 10), victim('y', 1, 30), victim('z', 1, 20)] })),
      'a1: z y',
    ],
    [
      'U-06 a pod that has not started goes first',
      attemptOn(populatedBy({ a1: [placedPod({ name: 'x', priority: 1 }), victim('y', 1, 30)] })),
      'a1: x',
    ],
    [
      'U-07 a pod whose budget would be violated is reprieved first',
      attemptOn(populatedBy({ a1: [victim('x', 1, 0, guarded), victim('y', 50)] }), { budgets: [budget(0)] }),
      'a1: y',
    ],
    [
      'U-07 a budget is violated if there is no other way',
      attemptOn(populatedBy({ a1: [victim('x', 1, 0, guarded), victim('y', 200)] }), {
        budgets: [budget(0)],
      }),
      'a1: x',
    ],
    [
      'U-07 another node is taken before a budget is violated',
      attemptOn(
        populatedBy({
          a1: [victim('x', 1, 0, guarded), victim('y', 200)],
          b1: [victim('z', 90), victim('w', 200)],
        }),
        { budgets: [budget(0)] },
      ),
      'b1: z',
    ],
    [
      'U-07 a budget that allows a disruption spares nobody',
      attemptOn(populatedBy({ a1: [victim('x', 1, 0, guarded), victim('y', 50)] }), { budgets: [budget(1)] }),
      'a1: x',
    ],
    [
      'U-07 a disruption that was granted before is no violation',
      attemptOn(populatedBy({ a1: [victim('x', 1, 0, guarded), victim('y', 50)] }), {
        budgets: [budget(0, { guarded: 'yes' }, { disruptedPods: { x: '2026-01-01T00:00:00Z' } })],
      }),
      'a1: x',
    ],
    [
      'U-07 an empty selector guards no pod',
      attemptOn(populatedBy({ a1: [victim('x', 1, 0, guarded), victim('y', 50)] }), {
        budgets: [budget(0, {})],
      }),
      'a1: x',
    ],
    [
      'U-09 the search begins at a node of chance',
      attemptOn(
        populatedBy(
          Object.fromEntries(
            ['a1', 'b1', 'c1', 'd1'].map((name) => [name, [victim(name, 1), victim('y', 200)]]),
          ),
        ),
        { chance: 0.6 },
      ),
      'c1: c1',
    ],
    [
      'U-11 a node that does not answer is not chosen',
      attemptOn(
        populatedBy({ a1: [victim('x', 1), victim('y', 200)] }).map(({ node, pods }) => ({
          node: { ...node, status: { conditions: [ready('Unknown')] } },
          pods,
        })),
      ),
      NOT_HELPFUL,
    ],
  ])('%s', (_name, attempt, outcome) => {
    expect(outcomeOf(attempt)).toBe(outcome);
  });

  it('U-02, U-03 keeps the nomination only while its victims leave', () => {
    const waiting = attemptOn(populatedBy({ a1: [victim('x', 1, 0, leaving)] }), {
      pod: preemptor({ status: { nominatedNodeName: 'a1' } }),
    });
    const hopeless = attemptOn(populatedBy({ a1: [] }), { refusals: new Map([['a1', TAINTED]]) });
    expect(decidePreemption(waiting)).toMatchObject({ clearsNomination: false });
    expect(decidePreemption(hopeless)).toMatchObject({ clearsNomination: true });
  });

  it('U-09 ends with a hundred candidates, or a tenth of the nodes', () => {
    const asked = (count: number): number => {
      const names = Array.from({ length: count }, (_, index) => `n${index}`);
      let nodes = 0;
      const room = roomFor(1);
      const without: Trial['without'] = (at, pods) => {
        nodes += 1;
        return room.without(at, pods);
      };
      decidePreemption(
        attemptOn(populatedBy(Object.fromEntries(names.map((name) => [name, [victim(name, 1)]]))), {
          trial: { ...room, without },
        }),
      );
      return nodes;
    };
    expect([asked(50), asked(500), asked(2000)]).toEqual([50, 100, 200]);
  });

  it('U-06 imagines each pod of a node gone once, and back once', () => {
    let moved = 0;
    const room = roomFor(50);
    const trial: Trial = {
      ...room,
      without: (at, pods) => {
        moved += pods.length;
        return room.without(at, pods);
      },
      with: (at, pod) => {
        moved += 1;
        return room.with(at, pod);
      },
    };
    const pods = Array.from({ length: 110 }, (_, index) => victim(`v${index}`, 1));
    expect(decidePreemption(attemptOn(populatedBy({ a1: pods }), { trial }))).toMatchObject({
      victims: { length: 61 },
    });
    expect(moved).toBe(220);
  });
});

describe('bestCandidate', () => {
  const candidate = (name: string, violations: number, ...victims: readonly Pod[]) => {
    const [node] = populatedBy({ [name]: victims });
    return node ? [{ node, victims, violations }] : [];
  };
  it.each([
    [
      'fewest violated budgets',
      [candidate('a', 1, victim('x', 1)), candidate('b', 0, victim('y', 9), victim('z', 9))],
      'b',
    ],
    [
      'lowest top priority',
      [candidate('a', 0, victim('x', 9)), candidate('b', 0, victim('y', 8), victim('z', 8))],
      'b',
    ],
    [
      'smallest sum',
      [candidate('a', 0, victim('x', 9), victim('v', 9)), candidate('b', 0, victim('y', 9), victim('z', 8))],
      'b',
    ],
    [
      'fewest victims, also of negative priority',
      [candidate('a', 0, victim('x', -5), victim('v', -5)), candidate('b', 0, victim('y', -5))],
      'b',
    ],
    [
      'latest start of the most important',
      [
        candidate('a', 0, victim('x', 9, 10), victim('v', 1, 99)),
        candidate('b', 0, victim('y', 9, 20), victim('z', 1, 0)),
      ],
      'b',
    ],
    ['the first among equals', [candidate('a', 0, victim('x', 9)), candidate('b', 0, victim('y', 9))], 'a'],
  ])('U-08 %s', (_name, candidates, name) => {
    expect(bestCandidate(candidates.flat())?.node.node.metadata.name).toBe(name);
  });

  it('U-08 is none where nobody can leave', () => expect(bestCandidate([])).toBeUndefined());
});

it('U-10 a pod of lower priority loses its nomination for the node', () => {
  const nominated = (name: string, priority: number, nominatedNodeName: string): Pod =>
    placedPod({ name, priority, status: { nominatedNodeName } });
  const waiting = [
    nominated('low', 1, 'a1'),
    nominated('equal', 100, 'a1'),
    nominated('elsewhere', 1, 'b1'),
    placedPod(),
  ];
  expect(outrankedNominations(preemptor(), 'a1', waiting).map(({ metadata }) => metadata.name)).toEqual([
    'low',
  ]);
});
