// StatefulSets and Jobs under twin runs, crashes in mid-write, lost and doubled messages: no claim is ever lost, no ordinal is left out or
// there twice, and each pod of a Job is counted exactly once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../shared/adapters/hostile/process.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { Job, JobSpec } from '../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { liveRow, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { podGraceSeconds, withDeletion } from '../../../shared/rules/pods/deletion.ts';
import { isActive } from '../../../shared/rules/workloads/children/pod-state.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';
import { aWorkload } from '../../support/objects/workload-objects.ts';
import { createBadDay, unexplained } from '../../support/planes/bad-day.ts';

/** A turn relies on reads that show whole transactions once they have committed. */
const RATES = { ...BAD_DAY, halfVisible: 0 };
const ROUNDS = 30;
const JOBS = ['plain', 'indexed'];

const keyOf = (resource: string, name: string): ObjectKey => ({ resource, namespace: 'default', name });

const aSet = (replicas: number, podManagementPolicy: string): ApiObject =>
  aWorkload({
    kind: 'StatefulSet',
    name: 'db',
    spec: {
      replicas,
      podManagementPolicy,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  });

const aJob = (name: string, spec: JobSpec): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, generation: 1 },
  spec: {
    completions: 6,
    parallelism: 3,
    backoffLimit: 1_000,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { job: name } },
    template: {
      metadata: { labels: { job: name } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'img:1' }] },
    },
    ...spec,
  },
});

interface World {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  /** Uids of pods of Jobs by what became of them. */
  readonly ended: { readonly succeeded: Set<string>; readonly failed: Set<string> };
  /** Uids of claims by name. */
  readonly claims: Map<string, string>;
  readonly faults: string[];
}

const listOf = async ({ plane }: Pick<World, 'plane'>, resource: string): Promise<readonly ApiObject[]> =>
  (await plane.state.objects.page({ resource, namespace: 'default' })).rows.map(({ object }) => object);

const change = async ({ plane }: World, { metadata }: ApiObject, to: (pod: Pod) => Pod): Promise<boolean> => {
  const result = await plane.writer.write(keyOf('pods', metadata.name), (row, now) => {
    const stored = liveRow(row);
    if (!stored || stored.uid !== metadata.uid) return undefined;
    const next = to(stored.object as Pod);
    if (next === stored.object) return undefined;
    const isGone =
      next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
    const isOver = isGone && toTime(now) >= (next.metadata.deletionTimestamp ?? '');
    return isOver ? { next: 'delete', lastState: next, writer: 'client' } : { next, writer: 'client' };
  });
  return result.outcome === 'written';
};

const withPhase = (pod: Pod, phase: 'Running' | 'Succeeded' | 'Failed', now: number): Pod => ({
  ...pod,
  spec: { ...pod.spec, nodeName: 'n1' },
  status: {
    phase,
    conditions: [
      { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: toTime(now) },
    ],
  },
});

/** A kubelet: starts pods, ends those of Jobs, and confirms deletions. */
const kubelet = async (world: World, pod: Pod, failures: number): Promise<void> => {
  const { plane, chance, ended } = world;
  const now = plane.clock.now();
  if (pod.metadata.deletionTimestamp !== undefined) {
    await change(world, pod, (one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: toTime(now), deletionGracePeriodSeconds: 0 },
    }));
    return;
  }
  if (!isActive(pod)) return;
  const isOfJob = pod.metadata.labels?.['job'] !== undefined;
  if (pod.status?.phase !== 'Running')
    return void (await change(world, pod, (one) => (isActive(one) ? withPhase(one, 'Running', now) : one)));
  if (!isOfJob) return;
  const phase = chance.hit(failures) ? 'Failed' : 'Succeeded';
  const isDone = await change(world, pod, (one) => (isActive(one) ? withPhase(one, phase, now) : one));
  if (isDone) ended[phase === 'Failed' ? 'failed' : 'succeeded'].add(pod.metadata.uid ?? '');
};

/** A user deletes a pod: one of a Job that has not ended counts as failed. */
const remove = async (world: World, pod: Pod): Promise<void> => {
  const isDone = await change(world, pod, (one) =>
    isActive(one) ? withDeletion(one, podGraceSeconds(one), world.plane.clock.now()) : one,
  );
  if (isDone && pod.metadata.labels?.['job'] !== undefined) world.ended.failed.add(pod.metadata.uid ?? '');
};

const seeClaims = async (world: World): Promise<void> => {
  for (const { metadata } of await listOf(world, 'persistentvolumeclaims')) {
    const before = world.claims.get(metadata.name);
    if (before !== undefined && before !== metadata.uid) world.faults.push(`${metadata.name} was made anew`);
    world.claims.set(metadata.name, metadata.uid ?? '');
  }
};

const round = async (world: World): Promise<void> => {
  const { plane, chance } = world;
  await plane.run(chance.upTo(4_000));
  for (const pod of (await listOf(world, 'pods')) as readonly Pod[]) {
    if (chance.hit(0.05)) await remove(world, pod);
    else if (chance.hit(0.5)) await kubelet(world, pod, 0.3);
  }
  if (chance.hit(0.15)) {
    const replicas = Math.floor(chance.upTo(5));
    await plane.writer.write(keyOf('statefulsets', 'db'), (row) => {
      const set = liveRow(row)?.object;
      return (
        set && { next: { ...set, spec: { ...(set as Job).spec, replicas } } as ApiObject, writer: 'client' }
      );
    });
  }
  await seeClaims(world);
};

const expectQuiet = async (world: World): Promise<void> => {
  const { plane, ended, claims, faults } = world;
  const set = liveRow(await plane.state.objects.read(keyOf('statefulsets', 'db')))?.object as Job & {
    readonly spec: { readonly replicas: number };
  };
  const pods = (await listOf(world, 'pods')) as readonly Pod[];
  expect(
    pods.filter(({ metadata }) => metadata.labels?.['app'] === 'web').map(({ metadata }) => metadata.name),
  ).toEqual(Array.from({ length: set.spec.replicas }, (_, n) => `db-${n}`));
  const now = new Map(
    (await listOf(world, 'persistentvolumeclaims')).map(({ metadata }) => [metadata.name, metadata.uid]),
  );
  for (const [name, uid] of claims) expect(now.get(name)).toBe(uid);
  let [succeeded, failed] = [0, 0];
  for (const name of JOBS) {
    const job = liveRow(await plane.state.objects.read(keyOf('jobs', name)))?.object as Job;
    expect(job.status).toMatchObject({ succeeded: 6, uncountedTerminatedPods: {}, terminating: 0 });
    succeeded += job.status?.succeeded ?? 0;
    failed += Number(job.status?.['failed'] ?? 0);
  }
  expect([succeeded, failed]).toEqual([ended.succeeded.size, ended.failed.size]);
  expect(pods.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)).toEqual([]);
  expect(faults).toEqual([]);
  expect(unexplained(plane.failures)).toEqual([]);
};

it('StatefulSets and Jobs converge on a bad day, and count each pod once (W-135, W-140, W-143, W-162)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, isParallel) => {
      const day = createBadDay(seed, RATES);
      const { plane } = day;
      await plane.state.ownerEdges.complete();
      // The pods are on a node that does not exist.
      for (const part of ['scheduler', 'pod-gc'] as const) plane.set(part, false);
      const put = (resource: string, next: ApiObject) =>
        plane.writer.write(keyOf(resource, next.metadata.name), () => ({ next, writer: 'client' }));
      await put('statefulsets', aSet(3, isParallel ? 'Parallel' : 'OrderedReady'));
      await put('jobs', aJob('plain', {}));
      await put('jobs', aJob('indexed', { completionMode: 'Indexed' }));
      const ended = { succeeded: new Set<string>(), failed: new Set<string>() };
      const world: World = { plane, chance: day.chance.fork(), ended, claims: new Map(), faults: [] };
      for (let n = 0; n < ROUNDS; n += 1) await round(world);
      day.calm();
      for (let n = 0; n < 30; n += 1) {
        await plane.run(700_000);
        for (const pod of (await listOf(world, 'pods')) as readonly Pod[]) await kubelet(world, pod, 0);
        await seeClaims(world);
      }
      await plane.run(3_700_000);
      await expectQuiet(world);
    }),
    { numRuns: 6 },
  );
});
