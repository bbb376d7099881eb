import { describe, expect, it } from 'vitest';
import { defaultPodTemplateSpec } from '../../../../shared/kube/defaults/pod-template.ts';
import { defaultDeployment } from '../../../../shared/kube/defaults/workload.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import { scaledValue } from '../../../../shared/rules/workloads/children/int-or-percent.ts';
import { templateHash } from '../../../../shared/rules/workloads/revisions/template-hash.ts';
import { aWorkload, referenceTo } from '../../../support/objects/workload-objects.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const [DEPLOYMENTS, SETS] = ['deployments', 'replicasets'];
const REVISION = 'deployment.kubernetes.io/revision';

const templateOf = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

const hashOf = (image: string, collisions?: number): string =>
  templateHash(defaultPodTemplateSpec(templateOf(image)), collisions);

const rollingUpdate = (maxSurge: unknown, maxUnavailable: unknown) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

/** A Deployment as the API stores it. */
const aDeployment = (spec: Workload['spec'] = {}): Workload =>
  defaultDeployment(
    aWorkload({
      kind: 'Deployment',
      spec: {
        replicas: 4,
        template: templateOf('img:1'),
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        ...rollingUpdate('25%', '25%'),
        ...spec,
      },
    }),
  );

const withDeployment = async (spec: Workload['spec'] = {}) => {
  const plane = await aWorkloadPlane();
  await plane.put(DEPLOYMENTS, aDeployment(spec));
  await plane.run(2_000);
  /** Lets kubelets and controllers work until nothing moves. */
  const settle = async (rounds = 12): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await plane.kubelets();
      await plane.run(1_000);
    }
  };
  const deployment = () => plane.read<Workload>(DEPLOYMENTS, 'web');
  const sets = () => plane.list<Workload>(SETS);
  const sizes = async () =>
    Object.fromEntries(
      (await sets()).map(({ spec: own, metadata }) => [metadata.annotations?.[REVISION], own?.replicas]),
    );
  const conditions = async () =>
    Object.fromEntries(
      (((await deployment())?.status?.['conditions'] ?? []) as readonly Condition[]).map(
        ({ type, status, reason }) => [type, `${status} ${reason}`],
      ),
    );
  const scalings = async () =>
    (await plane.eventsOf()).filter((event) => event.includes('ScalingReplicaSet'));
  return { ...plane, settle, deployment, sets, sizes, conditions, scalings };
};

/** A rollout whose only new pod falls ill while the status of its ReplicaSet calls it available, with the readiness of that pod. */
const withOldStatus = async () => {
  const plane = await withDeployment(rollingUpdate(1, 0));
  await plane.settle(2);
  await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:2') });
  await plane.run(2_000);
  plane.set('deployment', false);
  await plane.settle(2);
  plane.set('replica-set', false);
  const [newPod] = (await plane.pods()).filter(({ spec }) => JSON.stringify(spec).includes('img:2'));
  const setReady = (status: 'True' | 'False') =>
    plane.change<Pod>('pods', newPod?.metadata.name ?? '', (pod) => ({
      ...pod,
      status: { ...pod.status, conditions: [{ type: 'Ready', status }] },
    }));
  await setReady('False');
  await plane.run(1_000);
  plane.set('deployment', true);
  await plane.respec(DEPLOYMENTS, 'web', { progressDeadlineSeconds: 601 });
  await plane.run(1_000);
  return { ...plane, setReady };
};

describe('the Deployment controller', () => {
  it('believes no status that is old: it counts pods, and looks again by itself (W-79)', async () => {
    const plane = await withOldStatus();
    expect(await plane.sizes()).toEqual({ 1: 4, 2: 1 });
    const reported = (await plane.sets()).map(({ status }) => status?.['availableReplicas']);
    expect(new Set(reported)).toEqual(new Set([1, 4]));
    await plane.setReady('True');
    await plane.run(6_000);
    expect(await plane.sizes()).toEqual({ 1: 3, 2: 2 });
    expect(plane.failures).toEqual([]);
  });

  it('creates its ReplicaSet with hash, revision and size, and tells it (W-59, W-60, W-63, W-66)', async () => {
    const plane = await withDeployment();
    const [set] = await plane.sets();
    const hash = hashOf('img:1');
    expect(set).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web', 'pod-template-hash': hash },
        annotations: {
          [REVISION]: '1',
          'deployment.kubernetes.io/desired-replicas': '4',
          'deployment.kubernetes.io/max-replicas': '5',
        },
        ownerReferences: [referenceTo(aDeployment())],
      },
      spec: { replicas: 4, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
    });
    expect(await plane.pods()).toHaveLength(4);
    expect((await plane.deployment())?.metadata.annotations).toEqual({ [REVISION]: '1' });
    expect(await plane.scalings()).toEqual([
      `Deployment/web Normal ScalingReplicaSet Scaled up replica set web-${hash} from 0 to 4 (deployment-controller)`,
    ]);
    expect(plane.failures).toEqual([]);
  });

  it('is complete when all pods are new and available (W-69, W-70)', async () => {
    const plane = await withDeployment();
    expect(await plane.conditions()).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'True ReplicaSetUpdated',
    });
    await plane.settle(2);
    expect(await plane.conditions()).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
    expect((await plane.deployment())?.status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
    });
  });

  it('never has more or fewer pods than surge and unavailable allow (W-62, W-63, W-64)', async () => {
    const plane = await withDeployment();
    await plane.settle(2);
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:2') });
    for (let round = 0; round < 10; round += 1) {
      await plane.run(1_000);
      const active = (await plane.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const ready = active.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Ready'));
      expect(active.length).toBeLessThanOrEqual(5);
      expect(ready.length).toBeGreaterThanOrEqual(3);
      await plane.kubelets();
    }
    await plane.settle(2);
    expect(await plane.sizes()).toEqual({ 1: 0, 2: 4 });
    expect(await plane.conditions()).toMatchObject({ Progressing: 'True NewReplicaSetAvailable' });
    expect(plane.failures).toEqual([]);
  });

  it('rolls back to a ReplicaSet that is there, which becomes the newest revision (W-61, W-66)', async () => {
    const plane = await withDeployment();
    await plane.settle(2);
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:2') });
    await plane.settle();
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:1') });
    await plane.settle();
    expect(await plane.sizes()).toEqual({ 2: 0, 3: 4 });
    const first = (await plane.sets()).find(({ metadata }) => metadata.annotations?.[REVISION] === '3');
    expect(first?.metadata.annotations?.['deployment.kubernetes.io/revision-history']).toBe('1');
    expect((await plane.deployment())?.metadata.annotations?.[REVISION]).toBe('3');
  });

  it('scales at once, also in the middle of a rollout, then in proportion (W-65)', async () => {
    const plane = await withDeployment({ replicas: 10, ...rollingUpdate(3, 2) });
    await plane.settle(2);
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:2') });
    await plane.run(2_000);
    expect(await plane.sizes()).toEqual({ 1: 8, 2: 5 });
    await plane.respec(DEPLOYMENTS, 'web', { replicas: 15 });
    await plane.run(2_000);
    expect(await plane.sizes()).toEqual({ 1: 11, 2: 7 });
    await plane.respec(DEPLOYMENTS, 'web', { replicas: 0 });
    await plane.settle(4);
    expect(await plane.sizes()).toEqual({ 1: 0, 2: 0 });
  });

  it('a paused one is scaled but not rolled out, and goes on when it is resumed (W-65, W-67)', async () => {
    const plane = await withDeployment();
    await plane.settle(2);
    await plane.respec(DEPLOYMENTS, 'web', { paused: true, template: templateOf('img:2'), replicas: 5 });
    await plane.settle(2);
    expect(await plane.sizes()).toEqual({ 1: 5 });
    expect(await plane.conditions()).toMatchObject({ Progressing: 'Unknown DeploymentPaused' });
    await plane.respec(DEPLOYMENTS, 'web', { paused: false });
    await plane.settle();
    expect(await plane.sizes()).toEqual({ 1: 0, 2: 5 });
  });

  it('Recreate waits until the last old pod is gone (W-68)', async () => {
    const plane = await withDeployment({ strategy: { type: 'Recreate' } });
    await plane.settle(2);
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:2') });
    await plane.run(3_000);
    expect(await plane.sizes()).toEqual({ 1: 0 });
    await plane.kubelets();
    await plane.run(2_000);
    expect(await plane.sizes()).toEqual({ 1: 0, 2: 4 });
  });

  it('says that a rollout is stuck when its deadline has passed, without any event (W-71)', async () => {
    const plane = await withDeployment({ progressDeadlineSeconds: 1_000 });
    await plane.run(990_000);
    expect(await plane.conditions()).toMatchObject({ Progressing: 'True ReplicaSetUpdated' });
    await plane.run(20_000);
    expect(await plane.conditions()).toMatchObject({ Progressing: 'False ProgressDeadlineExceeded' });
    await plane.settle(2);
    expect(await plane.conditions()).toMatchObject({ Progressing: 'True NewReplicaSetAvailable' });
  });

  it('keeps as many old ReplicaSets as its history limit (W-73)', async () => {
    const plane = await withDeployment({ revisionHistoryLimit: 1, replicas: 1 });
    for (const image of ['img:2', 'img:3', 'img:4']) {
      await plane.settle(4);
      await plane.respec(DEPLOYMENTS, 'web', { template: templateOf(image) });
    }
    await plane.settle(6);
    expect(await plane.sizes()).toEqual({ 3: 0, 4: 1 });
  });

  it('takes another name when a ReplicaSet with another template has its own (W-74)', async () => {
    const plane = await aWorkloadPlane();
    const name = `web-${hashOf('img:1')}`;
    await plane.put(
      SETS,
      aWorkload({ name, spec: { replicas: 0, selector: { matchLabels: { app: 'x' } } } }),
    );
    await plane.put(DEPLOYMENTS, aDeployment());
    await plane.run(3_000);
    const names = (await plane.list<Workload>(SETS)).map(({ metadata }) => metadata.name);
    expect(names).toContain(`web-${hashOf('img:1', 1)}`);
    expect((await plane.read<Workload>(DEPLOYMENTS, 'web'))?.status?.['collisionCount']).toBe(1);
  });

  it('says why its ReplicaSet is refused, and tries again later (W-75)', async () => {
    const plane = await withDeployment({ template: templateOf('') });
    const [refused] = (await plane.eventsOf()).filter((event) => event.includes('ReplicaSetCreateError'));
    expect(refused).toMatch(
      /^Deployment\/web Warning ReplicaSetCreateError Failed to create new replica set "web-/,
    );
    expect(refused).toMatch(/image: Required value \(deployment-controller\)$/);
    expect(await plane.conditions()).toEqual({ Progressing: 'False ReplicaSetCreateError' });
    await plane.respec(DEPLOYMENTS, 'web', { template: templateOf('img:1') });
    await plane.settle(2);
    expect(await plane.conditions()).toMatchObject({ Progressing: 'True NewReplicaSetAvailable' });
    expect(plane.failures).toEqual([]);
  });

  it('adopts a ReplicaSet that lost its owner instead of making another one (W-74)', async () => {
    const plane = await withDeployment();
    await plane.settle(2);
    const [set] = await plane.sets();
    const { ownerReferences: _owners, ...metadata } = set?.metadata ?? { name: '' };
    await plane.change<Workload>(SETS, metadata.name, (one) => ({ ...one, metadata }));
    await plane.settle(4);
    expect(
      (await plane.sets()).map(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.name),
    ).toEqual(['web']);
    expect(await plane.pods()).toHaveLength(4);
  });
});

describe('scaledValue', () => {
  it.each([
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    [2, 10, 'down', 2],
    ['two', 10, 'up', 0],
    [undefined, 10, 'up', 0],
  ] as const)('%s of %i, rounded %s, is %i (W-62)', (value, total, rounding, number) => {
    expect(scaledValue(value, total, rounding)).toBe(number);
  });
});
