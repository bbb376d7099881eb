import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../../../shared/kube/types/core.ts';
import type { Workload } from '../../../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import {
  type DeploymentDecision,
  type DeploymentView,
  decideDeployment,
} from '../../../../../shared/rules/workloads/deployment/deployment.ts';
import { rollingLimits } from '../../../../../shared/rules/workloads/deployment/deployment-numbers.ts';
import { hasTemplate } from '../../../../../shared/rules/workloads/deployment/same-template.ts';
import { isSameTemplate } from '../../../../../shared/rules/workloads/revisions/template-hash.ts';
import { aWorkload } from '../../../../support/objects/workload-objects.ts';

const NOW = 1_000_000_000;
const HASH = 'b987b7bb5';
const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAXIMUM = 'deployment.kubernetes.io/max-replicas';

const aDeployment = (
  { name = 'web', deletedAt, status }: { name?: string; deletedAt?: number; status?: Workload['status'] },
  spec: Workload['spec'] = {},
): Workload =>
  aWorkload({
    kind: 'Deployment',
    name,
    ...(deletedAt === undefined ? {} : { deletedAt }),
    ...(status ? { status } : {}),
    spec: {
      replicas: 10,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
      ...spec,
    },
  });

interface SetParts {
  readonly name: string;
  readonly replicas: number;
  readonly available?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: readonly unknown[];
  readonly createdAt?: number;
}

const aSet = ({ name, replicas, available = replicas, createdAt = 0, ...parts }: SetParts): Workload => {
  const set = aWorkload({
    name,
    spec: { replicas },
    status: {
      replicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      ...(parts.conditions ? { conditions: parts.conditions } : {}),
    },
  });
  const annotations = { [DESIRED]: '10', [MAXIMUM]: '13', ...parts.annotations };
  return { ...set, metadata: { ...set.metadata, annotations, creationTimestamp: toTime(createdAt) } };
};

const uidOf = (set: Workload): string => set.metadata.uid ?? '';

const decide = (
  deployment: Workload,
  sets: readonly Workload[],
  newSet?: Workload,
  hasOldPods = false,
): DeploymentDecision => {
  const template: DeploymentView['template'] = newSet ? { uid: uidOf(newSet) } : { hash: HASH };
  return decideDeployment({ deployment, sets, hasOldPods, template }, NOW);
};

const sizesOf = ({ updates }: DeploymentDecision) =>
  updates
    .filter(({ before, after }) => before.spec?.replicas !== after.spec?.replicas)
    .map(({ after }) => [after.metadata.name, after.spec?.replicas]);

const conditionOf = ({ deployment }: DeploymentDecision, wanted: string) =>
  ((deployment.status?.['conditions'] ?? []) as readonly { type: string }[]).find(
    ({ type }) => type === wanted,
  );

describe('a new ReplicaSet', () => {
  it('has a name of 253 characters at most (W-59)', () => {
    const { create } = decide(aDeployment({ name: 'n'.repeat(253) }), []);
    expect(create?.metadata.name).toBe(`${'n'.repeat(253 - 1 - HASH.length)}-${HASH}`);
  });

  it('has the annotations and seconds of the Deployment, apart from those of apply and revisions (W-59)', () => {
    const bare = aDeployment({}, { minReadySeconds: 7 });
    const annotations = {
      'example.org/why': 'fix',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      [REVISION]: '4',
    };
    const { create } = decide({ ...bare, metadata: { ...bare.metadata, annotations } }, []);
    expect(create?.metadata.annotations).toEqual({
      'example.org/why': 'fix',
      [REVISION]: '1',
      [DESIRED]: '10',
      [MAXIMUM]: '13',
    });
    expect(create?.spec).toMatchObject({ replicas: 10, minReadySeconds: 7 });
  });

  it('has only the pods for which the old ones leave room (W-63)', () => {
    const old = aSet({ name: 'old', replicas: 12, annotations: { [REVISION]: '6' } });
    const { create, events } = decide(aDeployment({}), [old]);
    expect(create).toMatchObject({ metadata: { annotations: { [REVISION]: '7' } }, spec: { replicas: 1 } });
    expect(events.map(({ message }) => message)).toEqual([
      `Scaled up replica set web-${HASH} from 0 to 1`,
      'Scaled down replica set old from 12 to 8',
    ]);
  });

  it('of Recreate is made when no pod of the old ones lives any more (W-68)', () => {
    const deployment = aDeployment({}, { strategy: { type: 'Recreate' } });
    const old = aSet({ name: 'old', replicas: 0 });
    expect(decide(deployment, [old], undefined, true).create).toBeUndefined();
    expect(decide(deployment, [old]).create?.spec?.replicas).toBe(10);
  });
});

describe('the template of a ReplicaSet', () => {
  const container = (resources: object) => ({ name: 'c', image: 'img:1', resources });
  const withSpec = (spec: PodSpec) =>
    aWorkload({ spec: { template: { metadata: { labels: { app: 'web' } }, spec } } });

  it('is the same with defaults, and with the label of the hash (W-61)', () => {
    const written = { containers: [container({})], restartPolicy: 'Always' };
    const set = aWorkload({
      spec: { template: { metadata: { labels: { app: 'web', 'pod-template-hash': HASH } }, spec: written } },
    });
    expect(hasTemplate(withSpec({ containers: [container({})] }), set)).toBe(true);
  });

  it.each([
    [{ cpu: '1e3' }, { cpu: '1k' }, true],
    [{ cpu: '1' }, { cpu: '2' }, false],
  ])('with %j and %j is the same: %s (W-61)', (limits, others, isSame) => {
    const [a, b] = [limits, others].map((one) => withSpec({ containers: [container({ limits: one })] }));
    expect(a && b && isSameTemplate(a, b)).toBe(isSame);
  });

  it('may have an empty list where another has none (W-61)', () => {
    const containers = [container({})];
    expect(isSameTemplate(withSpec({ containers, volumes: [] }), withSpec({ containers }))).toBe(true);
  });
});

describe('rollingLimits', () => {
  it.each([
    [10, '25%', '25%', { surge: 3, unavailable: 2 }],
    [1, 0, '25%', { surge: 0, unavailable: 1 }],
    [2, 5, 5, { surge: 5, unavailable: 2 }],
    [0, 1, 1, { surge: 1, unavailable: 0 }],
  ])('of %i with surge %s and unavailable %s (W-62)', (replicas, maxSurge, maxUnavailable, limits) => {
    const rollingUpdate = { maxSurge, maxUnavailable };
    expect(rollingLimits(aDeployment({}, { replicas, strategy: { rollingUpdate } }))).toEqual(limits);
  });
});

describe('old ReplicaSets', () => {
  const fresh = (available: number) => aSet({ name: 'new', replicas: 5, available, createdAt: 9_000 });

  it('lose pods that are not available first, then the oldest (W-64)', () => {
    const [oldest, sick] = [
      aSet({ name: 'oldest', replicas: 4 }),
      aSet({ name: 'sick', replicas: 4, available: 1, createdAt: 1_000 }),
    ];
    const newSet = fresh(5);
    // 13 pods, at least 8 of them available: 10 are, so two may go besides the three that are not.
    expect(sizesOf(decide(aDeployment({}), [sick, oldest, newSet], newSet))).toEqual([
      ['oldest', 2],
      ['sick', 1],
    ]);
  });

  it('are left alone while one reports more available pods than it wants (W-64)', () => {
    const stale = aSet({ name: 'stale', replicas: 8, available: 10 });
    const newSet = fresh(3);
    expect(sizesOf(decide(aDeployment({}), [stale, newSet], newSet))).toEqual([]);
  });

  it.each([3, 4, 5])('leave at least eight available with %i new ones (W-64)', (available) => {
    const old = aSet({ name: 'old', replicas: 8 });
    const newSet = fresh(available);
    const [[, left = 0] = []] = sizesOf(decide(aDeployment({}), [old, newSet], newSet));
    expect(left).toBe(8 - available);
  });
});

describe('old ReplicaSets whose statuses are old', () => {
  const [oldest, sick, newSet] = [
    aSet({ name: 'oldest', replicas: 4, available: 0 }),
    aSet({ name: 'sick', replicas: 5, available: 5, createdAt: 1_000 }),
    aSet({ name: 'new', replicas: 4, available: 4, createdAt: 9_000 }),
  ];
  const sets = [oldest, sick, newSet];
  const view: DeploymentView = {
    deployment: aDeployment({}),
    sets,
    hasOldPods: false,
    template: { uid: 'uid-of-new' },
  };
  const counted = (available: readonly number[]) =>
    decideDeployment(
      { ...view, available: new Map(sets.map((set, at) => [set.metadata.uid ?? '', available[at] ?? 0])) },
      NOW,
    );

  it('shrink by what statuses say only after a count (W-79)', () => {
    const believed = decideDeployment(view, NOW);
    expect(sizesOf(believed)).toEqual([
      ['oldest', 0],
      ['sick', 4],
    ]);
    expect(believed.isCountNeeded).toBe(true);
    expect(counted([0, 5, 4]).isCountNeeded).toBe(false);
  });

  // 13 pods, at least 8 of them available.
  it.each([
    ['those that are available stay, where eight are just enough', [4, 0, 4], [['sick', 0]]],
    ['one may go while no new pod is available', [4, 5, 0], [['oldest', 3]]],
    [
      'all shrink that may, where the statuses say too little',
      [4, 5, 4],
      [
        ['oldest', 0],
        ['sick', 4],
      ],
    ],
  ] as const)('%s (W-79)', (_what, available, sizes) => {
    expect(sizesOf(counted(available))).toEqual(sizes);
  });

  it('shrink by the count also in the look that creates the new ReplicaSet (W-79)', () => {
    const available = new Map(sets.map((set) => [set.metadata.uid ?? '', set === sick ? 0 : 4]));
    const decided = decideDeployment({ ...view, template: { hash: '7d9' }, available }, NOW);
    expect([decided.isCountNeeded, decided.create?.spec?.replicas]).toEqual([false, 0]);
    expect(sizesOf(decided)).toEqual([['sick', 0]]);
  });

  it.each([
    ['a Deployment without replicas', { deployment: aDeployment({}, { replicas: 0 }) }],
    ['Recreate', { deployment: aDeployment({}, { strategy: { type: 'Recreate' } }) }],
  ])('are not counted for %s (W-79)', (_what, parts) => {
    expect(decideDeployment({ ...view, ...parts }, NOW).isCountNeeded).toBe(false);
  });
});

describe('scaling', () => {
  it('in proportion writes those first that shrink, and gives the rest to the largest (W-65, W-77)', () => {
    const [old, newSet] = [
      aSet({ name: 'old', replicas: 8 }),
      aSet({ name: 'new', replicas: 5, createdAt: 9_000 }),
    ];
    const decision = decide(aDeployment({}, { replicas: 5 }), [old, newSet], newSet);
    // Five and three more are allowed instead of thirteen: -3.1 and -1.9, and one less is left for the largest.
    expect(sizesOf(decision)).toEqual([
      ['old', 5],
      ['new', 3],
    ]);
  });

  it('ends where the only ReplicaSet has the size, though its annotation says otherwise (W-65)', () => {
    const only = aSet({ name: 'only', replicas: 10, annotations: { [DESIRED]: '4', [REVISION]: '1' } });
    const [update] = decide(aDeployment({}), [only], only).updates;
    expect(update?.after.metadata.annotations?.[DESIRED]).toBe('10');
    expect(update?.after.spec?.replicas).toBe(10);
  });
});

describe('revisions', () => {
  it('go up, and the former ones are history (W-66)', () => {
    const old = aSet({ name: 'old', replicas: 10, annotations: { [REVISION]: '8' } });
    const again = aSet({ name: 'again', replicas: 0, annotations: { [REVISION]: '7' } });
    const { updates, deployment } = decide(aDeployment({}), [old, again], again);
    expect(
      updates.find(({ after }) => after.metadata.name === 'again')?.after.metadata.annotations,
    ).toMatchObject({
      [REVISION]: '9',
      'deployment.kubernetes.io/revision-history': '7',
    });
    expect(deployment.metadata.annotations?.[REVISION]).toBe('9');
  });

  it.each([
    ['9007199254740993', '9007199254740994'],
    ['3546343826724305832', '3546343826724305833'],
  ])('above 2^53 count on exactly: after %s comes %s (W-66)', (before, after) => {
    const old = aSet({ name: 'old', replicas: 10, annotations: { [REVISION]: before } });
    const again = aSet({ name: 'again', replicas: 0, annotations: { [REVISION]: '7' } });
    expect(decide(aDeployment({}), [old, again], again).deployment.metadata.annotations?.[REVISION]).toBe(
      after,
    );
  });

  it.each(['mine', '9223372036854775808'])('that are no integer of 64 bits stay: %s (W-66)', (text) => {
    const odd = aSet({ name: 'odd', replicas: 10, annotations: { [REVISION]: text } });
    const { updates, deployment } = decide(aDeployment({}), [odd], odd);
    expect(updates).toEqual([]);
    expect(deployment.metadata.annotations?.[REVISION]).toBe(text);
  });
});

describe('the status', () => {
  const FAILED = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'forbidden',
    lastTransitionTime: toTime(5_000),
  };

  it('has the failure of a ReplicaSet, and since when (W-72)', () => {
    const sick = aSet({ name: 'sick', replicas: 10, available: 0, conditions: [FAILED] });
    const decision = decide(aDeployment({}), [sick], sick);
    expect(conditionOf(decision, 'ReplicaFailure')).toEqual({ ...FAILED, lastUpdateTime: toTime(5_000) });
    const healed = aSet({ name: 'sick', replicas: 10, available: 0 });
    expect(conditionOf(decide(decision.deployment, [healed], healed), 'ReplicaFailure')).toBeUndefined();
  });

  it('is kept while the Deployment is being deleted, and nothing else is done (W-76)', () => {
    const old = aSet({ name: 'old', replicas: 10 });
    const decision = decide(aDeployment({ deletedAt: NOW }, { replicas: 3 }), [old]);
    expect(decision).toMatchObject({ create: undefined, updates: [], delete: [], events: [] });
    expect(decision.deployment.status).toMatchObject({ replicas: 10, availableReplicas: 10 });
  });
});
