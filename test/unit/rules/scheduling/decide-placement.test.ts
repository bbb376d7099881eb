import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Cluster, NodeInfo } from '../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { FilterPlugin } from '../../../../shared/rules/scheduling/cluster/framework.ts';
import type { Attempt, Misfit, Placement } from '../../../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../../../shared/rules/scheduling/decide-placement.ts';
import { feasibleNodesToFind } from '../../../../shared/rules/scheduling/feasible-nodes.ts';
import { misfitMessage } from '../../../../shared/rules/scheduling/misfit-message.ts';
import { DEFAULT_PROFILE } from '../../../../shared/rules/scheduling/plugins.ts';
import { preempt } from '../../../../shared/rules/scheduling/preemption/preempt.ts';
import { decidePreemption } from '../../../../shared/rules/scheduling/preemption/preemption.ts';
import type { CasePod } from '../../../support/scheduling/recorded-cases.ts';
import { nodeOf, podOf } from '../../../support/scheduling/recorded-cases.ts';
import { clusterOf } from '../../../support/scheduling/scheduling-objects.ts';

type ShortNode = Parameters<typeof nodeOf>[0];

const clusterWith = (shorts: readonly ShortNode[], bound: readonly CasePod[] = []): Cluster =>
  clusterOf(
    shorts.map((short) => nodeInfo(nodeOf(short), bound.filter(({ on }) => on === short.name).map(podOf))),
  );

const decide = (pod: Pod, cluster: Cluster, more: Partial<Attempt> = {}) =>
  decidePlacement(pod, { cluster, chance: 0, ...more });

const placed = (pod: Pod, cluster: Cluster, more: Partial<Attempt> = {}) =>
  decide(pod, cluster, more) as Placement;

const refused = (pod: Pod, cluster: Cluster, more: Partial<Attempt> = {}) =>
  decide(pod, cluster, more) as Misfit;

const p = podOf({ name: 'p' });
const alike = ['n1', 'n2', 'n3'].map((name) => ({ name }));

describe('decidePlacement (M-04)', () => {
  it.each([
    [0, 'n1'],
    [0.34, 'n2'],
    [0.99999, 'n3'],
  ])('lets chance %d choose among nodes with the same score', (chance, nodeName) => {
    expect(placed(p, clusterWith(alike), { chance }).nodeName).toBe(nodeName);
  });

  it.each([0, 0.5, 0.999])('takes the best node, whatever the chance (%d)', (chance) => {
    const cluster = clusterWith(alike, [
      { name: 'a', on: 'n1', req: { cpu: '1' } },
      { name: 'b', on: 'n3', req: { cpu: '1' } },
    ]);
    expect(placed(p, cluster, { chance }).nodeName).toBe('n2');
  });

  it('does not score a single feasible node', () => {
    const [n1, ...others] = alike;
    const cluster = clusterWith([n1 as ShortNode, ...others.map((one) => ({ ...one, unschedulable: true }))]);
    expect(placed(p, cluster)).toEqual({ nodeName: 'n1', feasible: ['n1'], scores: [], judged: 3 });
  });

  it('adds up the weighted scores of the plugins that have a say', () => {
    expect(placed(p, clusterWith(alike)).scores[0]).toEqual({
      nodeName: 'n1',
      byPlugin: { TaintToleration: 300, NodeResourcesFit: 97, ImageLocality: 0 },
      total: 397,
    });
  });
});

describe('the node that was nominated for the pod (M-09)', () => {
  const cluster = clusterWith(alike, [{ name: 'a', on: 'n2', req: { cpu: '3' } }]);
  const waiting = (nominatedNodeName: string, req = {}) =>
    podOf({ name: 'p', req, status: { nominatedNodeName } });

  it('is taken if it takes the pod, though others have a better score', () => {
    expect(placed(waiting('n2'), cluster)).toEqual({
      nodeName: 'n2',
      feasible: ['n2'],
      scores: [],
      judged: 1,
    });
  });

  it.each([
    ['does not take the pod', waiting('n2', { cpu: '2' })],
    ['has gone', waiting('n9')],
  ])('leaves the choice to the others if it %s', (_name, pod) => {
    expect(placed(pod, cluster).nodeName).toBe('n1');
  });
});

describe('the filters of an attempt', () => {
  it('run in the order of the default profile (M-01)', () => {
    expect(DEFAULT_PROFILE.filters.map(({ name }) => name)).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread',
      'InterPodAffinity',
    ]);
  });

  it('let the first refusal of a node count, and name the plugins that refused (M-01)', () => {
    const taints = [{ key: 'a', effect: 'NoSchedule' as const }];
    const cluster = clusterWith([
      { name: 'n1', unschedulable: true, taints },
      { name: 'n2', taints, alloc: { cpu: '0' } },
      { name: 'n3', alloc: { cpu: '0' } },
    ]);
    const misfit = refused(podOf({ name: 'p', req: { cpu: '1' } }), cluster);
    expect([...misfit.refusals.values()].map(({ plugin }) => plugin)).toEqual([
      'NodeUnschedulable',
      'TaintToleration',
      'NodeResourcesFit',
    ]);
    expect(misfit.plugins).toEqual(new Set(['NodeUnschedulable', 'TaintToleration', 'NodeResourcesFit']));
  });

  const naming = (name: string, nodeNames: readonly string[]): FilterPlugin => ({
    name,
    preFilter: () => ({ nodeNames: new Set(nodeNames) }),
  });

  it.each([
    [['n1', 'n2'], ['n2', 'n3'], ['n2']],
    [['n1'], ['n2'], undefined],
  ])('judge only nodes that all plugins name: %j and %j (F-05)', (first, second, feasible) => {
    const profile = { filters: [naming('B', first), naming('A', second)], scores: [] };
    const decision = decide(p, clusterWith(alike), { profile });
    if (feasible) expect((decision as Placement).feasible).toEqual(feasible);
    else
      expect(misfitMessage(decision as Misfit)).toBe(
        "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [A B].",
      );
  });
});

describe('nominated pods (M-02)', () => {
  const cluster = clusterWith([{ name: 'n1', alloc: { cpu: '1' } }]);
  const nominated = (prio: string, name = 'other') => [
    { pod: podOf({ name, prio, req: { cpu: '1' } }), nodeName: 'n1' },
  ];
  const small = podOf({ name: 'p', prio: 'gold-100', req: { cpu: '500m' } });

  it.each([
    ['of higher priority', nominated('gold-1000'), false],
    ['of equal priority', nominated('gold-100'), false],
    ['of lower priority', nominated('gold-10'), true],
    ['that is the pod itself', nominated('gold-100', 'p'), true],
    [
      'on another node',
      [{ ...nominated('gold-1000')[0], nodeName: 'n2' } as ReturnType<typeof nominated>[0]],
      true,
    ],
  ])('keep their room from a pod, for one %s', (_name, nominations, isPlaced) => {
    expect('nodeName' in decide(small, cluster, { nominations })).toBe(isPlaced);
  });

  it('do not make a node fit that does not fit without them', () => {
    const nearby: FilterPlugin = {
      name: 'Nearby',
      preFilter: () => ({
        filter: ({ pods }: NodeInfo) =>
          pods.length > 0 ? undefined : { reasons: ['alone'], isResolvable: false },
      }),
    };
    const profile = { ...DEFAULT_PROFILE, filters: [nearby] };
    expect(refused(small, cluster, { nominations: nominated('gold-1000'), profile }).plugins).toEqual(
      new Set(['Nearby']),
    );
  });
});

it('the plugins look at a pod once, however many pods are nominated (M-02, N-10)', () => {
  let looks = 0;
  const counted: FilterPlugin = {
    name: 'Counted',
    preFilter: () => {
      looks += 1;
      return { filter: () => undefined };
    },
  };
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  const nominations = names.map((nodeName) => ({ pod: podOf({ name: `on-${nodeName}` }), nodeName }));
  const profile = { filters: [counted], scores: [] };
  placed(p, clusterWith(names.map((name) => ({ name }))), { nominations, profile });
  expect(looks).toBe(1);
});

describe('feasibleNodesToFind (M-03)', () => {
  it.each([
    [0, 0],
    [1, 1],
    [99, 99],
    [100, 100],
    [200, 100],
    [500, 230],
    [1000, 420],
    [5000, 500],
    [6000, 300],
    [20_000, 1000],
  ])('looks for enough of %d nodes: %d', (nodeCount, wanted) => {
    expect(feasibleNodesToFind(nodeCount)).toBe(wanted);
  });

  const many = clusterWith(Array.from({ length: 300 }, (_, index) => ({ name: `n${index}` })));

  it('ends the search when enough are found, and says how many were judged', () => {
    const { feasible, judged } = placed(p, many);
    expect([feasible.length, judged, feasible[0]]).toEqual([144, 144, 'n0']);
  });

  it('begins where it is told to, and goes on round the end', () => {
    const { feasible } = placed(p, many, { startAt: 299 });
    expect(feasible.slice(0, 3)).toEqual(['n299', 'n0', 'n1']);
  });
});

describe('the message of a misfit', () => {
  const message = (pod: Pod, cluster: Cluster): string => {
    const misfit = refused(pod, cluster);
    const decision = preempt(pod, misfit, { cluster, chance: 0 }, [], 0);
    if (decision && 'victims' in decision) throw new Error('the pod preempts others');
    return misfitMessage(misfit, decision?.message);
  };

  it('sorts counts as text (M-05)', () => {
    const cordoned = Array.from({ length: 10 }, (_, index) => ({ name: `c${index}`, unschedulable: true }));
    const tainted = ['t1', 't2'].map((name) => ({
      name,
      taints: [{ key: 'a', effect: 'NoSchedule' as const }],
    }));
    expect(misfitMessage(refused(p, clusterWith([...tainted, ...cordoned])))).toBe(
      '0/12 nodes are available: 10 node(s) were unschedulable, 2 node(s) had untolerated taint(s).',
    );
  });

  it('names the fault alone if no node could be judged (M-06)', () => {
    const pod = podOf({
      name: 'p',
      prio: 'gold-n100',
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }] },
    });
    expect(message(pod, clusterWith(alike))).toBe(
      '0/3 nodes are available: persistentvolumeclaim "x" not found. not found',
    );
    expect(refused(pod, clusterWith(alike)).plugins).toEqual(new Set(['VolumeBinding']));
  });

  it('says of each node whether preemption could help (M-07)', () => {
    const cluster = clusterWith(
      [
        { name: 'n1', alloc: { cpu: '1' } },
        { name: 'n2', unschedulable: true },
      ],
      [{ name: 'b', on: 'n1', req: { cpu: '1' } }],
    );
    expect(message(podOf({ name: 'p', req: { cpu: '1' } }), cluster)).toBe(
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
    );
  });

  it('asks why preemption does not help only where it could (M-07)', () => {
    const asked: string[] = [];
    const pod = podOf({ name: 'p', prio: 'gold-100', req: { cpu: '1' } });
    const cluster = clusterWith(
      [
        { name: 'n1', alloc: { cpu: '1' } },
        { name: 'n2', unschedulable: true },
      ],
      [{ name: 'b', on: 'n1', req: { cpu: '1' } }],
    );
    const { refusals } = refused(pod, cluster);
    const decision = decidePreemption({
      pod,
      nodes: cluster.nodes,
      refusals,
      budgets: [],
      chance: 0,
      trial: {
        without: (node) => node,
        with: (node) => node,
        refusal: ({ node: { metadata } }) => {
          asked.push(metadata.name);
          return refusals.get(metadata.name);
        },
      },
    });
    expect(asked).toEqual(['n1']);
    expect(decision).toMatchObject({
      message: '0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling.',
    });
  });

  it('has no part about preemption if the pod preempts others (M-07)', () => {
    expect(misfitMessage(refused(p, clusterWith([{ name: 'n1', unschedulable: true }])))).toBe(
      '0/1 nodes are available: 1 node(s) were unschedulable.',
    );
  });

  it('says that a pod never preempts (M-07)', () => {
    expect(
      message(podOf({ name: 'p', prio: 'gold-n100' }), clusterWith([{ name: 'n1', unschedulable: true }])),
    ).toBe(
      '0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    );
  });

  it('is short when there are no nodes (M-08)', () => {
    expect(message(p, clusterWith([]))).toBe('no nodes available to schedule pods');
  });
});

describe('the work of an attempt (N-10)', () => {
  /** A list of pods that counts how often a pod is looked at. */
  const counting = (pods: readonly Pod[], seen: { count: number }): readonly Pod[] =>
    new Proxy(pods, {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) seen.count += 1;
        return Reflect.get(target, key, receiver);
      },
    });

  it('looks at no pod of any node: the sums are enough', () => {
    const seen = { count: 0 };
    const bound = Array.from({ length: 20 }, (_, index) =>
      podOf({ name: `b${index}`, req: { cpu: '1m' }, ports: [{ hostPort: 1000 + index }] }),
    );
    const info = nodeInfo(nodeOf({ name: 'x' }), bound);
    const nodes = Array.from(
      { length: 200 },
      (_, index): NodeInfo => ({
        ...info,
        node: nodeOf({ name: `n${index}` }),
        pods: counting(bound, seen),
      }),
    );
    const pod = podOf({
      name: 'p',
      req: { cpu: '1' },
      ports: [{ hostPort: 80 }],
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'n7' } },
    });
    expect(placed(pod, { ...clusterOf([]), nodes }).nodeName).toBe('n7');
    expect(seen.count).toBe(0);
  });
});
