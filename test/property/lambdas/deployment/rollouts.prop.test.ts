// Rollouts under races, crashes, stalls, doubled, reordered and lost messages, while users change the template and pods fall ill: the ReplicaSets of a
// Deployment never want more pods than replicas and surge, the controller never gives up an available pod that was promised, and at quiet there are
// exactly the wanted ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY, type FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import { defaultDeployment } from '../../../../shared/kube/defaults/workload.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { Workload } from '../../../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../../../shared/kube/values/controller-of.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import type { ObjectKey, Row } from '../../../../shared/ports/store/rows.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { isPodReady } from '../../../../shared/rules/pods/pod-conditions.ts';
import { isActive } from '../../../../shared/rules/workloads/children/pod-state.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aWorkload } from '../../../support/objects/workload-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';

const [REPLICAS, SURGE, UNAVAILABLE] = [6, 2, 1];
const IMAGES = ['img:1', 'img:2', 'img:3'];
const DAY_MS = 20 * 60_000;
const QUIET_MS = 70 * 60_000;
const DEPLOYMENT: ObjectKey = { resource: 'deployments', namespace: 'default', name: 'web' };

/** A turn relies on consistent reads, of which the wrapper shows half for seconds. Stalls are longer than a turn. */
const LONG_STALLS: FaultRates = { ...BAD_DAY, halfVisible: 0, stall: 0.03, stallMs: 40_000 };
/** Every third message is lost, so that the statuses of ReplicaSets are old for minutes. */
const LOST_NEWS: FaultRates = { ...LONG_STALLS, stallMs: 4_000, loseMessage: 0.3 };

const templateOf = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

const aDeployment = (): Workload =>
  defaultDeployment(
    aWorkload({
      kind: 'Deployment',
      spec: {
        replicas: REPLICAS,
        template: templateOf('img:1'),
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxSurge: SURGE, maxUnavailable: UNAVAILABLE },
        },
      },
    }),
  );

const isOurs = (object: ApiObject, kind: string): boolean => controllerOf(object)?.kind === kind;

const wantedBy = (row: Row): number => {
  const set: Workload | undefined = liveRow(row)?.object;
  return set && isOurs(set, 'Deployment') ? (set.spec?.replicas ?? 1) : 0;
};

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

/** The most pods that were wanted at a time. */
const mostWanted = ({ commits }: ControlPlane): number => {
  const wanted = new Map<string, number>();
  let most = 0;
  for (const { change } of commits) {
    if (change.after?.key.resource !== 'replicasets') continue;
    wanted.set(change.after.key.name, wantedBy(change.after));
    most = Math.max(most, sumOf(wanted));
  }
  return most;
};

/** How long a run may take from its count of the pods to its write (ms): a few stalls of `LOST_NEWS`. */
const RUN_MS = 12_000;

/** The number of pods per ReplicaSet, by name. */
type Counts = ReadonlyMap<string, number>;

const availableBy = (pods: Iterable<Pod>): Counts => {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const name = controllerOf(pod)?.name ?? '';
    if (isActive(pod) && isPodReady(pod)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
};

/** The available pods that are kept: a ReplicaSet deletes the others first. */
const kept = (wanted: Counts, available: Counts): number =>
  [...wanted].reduce((sum, [name, size]) => sum + Math.min(size, available.get(name) ?? 0), 0);

const isBreach = (before: Counts, after: Counts, available: Counts): boolean =>
  kept(after, available) < Math.min(kept(before, available), REPLICAS - UNAVAILABLE);

/**
 * The instants at which a ReplicaSet was made smaller though this gave up available pods that were promised. What pods did while the
 * writer was at work does not count: a write is wrong if it was wrong at each instant of a run.
 */
const breachesOf = ({ commits }: ControlPlane): readonly number[] => {
  const [pods, breaches] = [new Map<string, Pod>(), new Set<number>()];
  let wanted: Counts = new Map();
  let seen: readonly { readonly until: number; readonly available: Counts }[] = [];
  let available: Counts = new Map();
  for (const { at, change } of commits) {
    const row = change.after ?? change.before;
    const object = change.after && liveRow(change.after)?.object;
    if (row?.key.resource === 'pods') {
      seen = [...seen.filter(({ until }) => until >= at - RUN_MS), { until: at, available }];
      if (object) pods.set(row.key.name, object as Pod);
      else pods.delete(row.key.name);
      available = availableBy(pods.values());
    }
    if (row?.key.resource !== 'replicasets') continue;
    const next = new Map(wanted).set(row.key.name, change.after ? wantedBy(change.after) : 0);
    const instants = [
      ...seen.filter(({ until }) => until >= at - RUN_MS).map((one) => one.available),
      available,
    ];
    const before = wanted;
    if (instants.every((one) => isBreach(before, next, one))) breaches.add(at);
    wanted = next;
  }
  return [...breaches];
};

const podsOf = async ({ state }: ControlPlane): Promise<readonly Pod[]> =>
  (await state.objects.page({ resource: 'pods', namespace: 'default' })).rows.map(
    ({ object }) => object as Pod,
  );

const withReadiness = (pod: Pod, isReady: boolean, now: number): Pod => ({
  ...pod,
  spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? 'n1' },
  status: {
    ...pod.status,
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: toTime(now) }],
  },
});

/** How a pod's readiness changes at a look of its kubelet: pods are ill for minutes, and not at all once `isHealthy`. */
const isReadyNext = (pod: Pod, chance: Chance, isHealthy: boolean): boolean => {
  if (isHealthy || pod.status?.phase === 'Pending') return true;
  return isPodReady(pod) ? !chance.hit(0.03) : chance.hit(0.08);
};

/** What a kubelet makes of a pod: it runs and mostly is ready, or it is gone. */
const attended = (pod: Pod, chance: Chance, isHealthy: boolean, now: number): Pod | 'delete' => {
  if (pod.metadata.deletionTimestamp !== undefined) return 'delete';
  const isReady = isReadyNext(pod, chance, isHealthy);
  return isReady === isPodReady(pod) ? pod : withReadiness(pod, isReady, now);
};

/** Kubelets look at each pod now and then, until the clock has come to `until`; pods fall ill until `healthyFrom`. */
const kubelets = async (
  plane: ControlPlane,
  chance: Chance,
  healthyFrom: number,
  until: number,
): Promise<void> => {
  while (plane.clock.now() < until) {
    await plane.clock.sleep(500 + chance.upTo(4_000));
    for (const { metadata } of await podsOf(plane)) {
      if (chance.hit(0.5)) continue;
      await plane.writer.write(
        { resource: 'pods', namespace: 'default', name: metadata.name },
        (row, now) => {
          const pod = liveRow(row)?.object as Pod | undefined;
          const next = pod && attended(pod, chance, now >= healthyFrom, now);
          return next === undefined || next === pod ? undefined : { next, writer: 'client' };
        },
      );
    }
  }
};

const respec = (plane: ControlPlane, spec: NonNullable<Workload['spec']>) =>
  plane.writer.write(DEPLOYMENT, (row) => {
    const stored: Workload | undefined = liveRow(row)?.object;
    if (!stored) return undefined;
    const metadata = { ...stored.metadata, generation: (stored.metadata.generation ?? 0) + 1 };
    return { next: { ...stored, metadata, spec: { ...stored.spec, ...spec } }, writer: 'client' };
  });

/** Users take another image, often in the middle of a rollout, and pause now and then. */
const users = async (plane: ControlPlane, chance: Chance, until: number): Promise<void> => {
  while (plane.clock.now() < until) {
    await plane.clock.sleep(10_000 + chance.upTo(120_000));
    const image = IMAGES[Math.floor(chance.upTo(IMAGES.length))] ?? '';
    await respec(plane, { template: templateOf(image), paused: chance.hit(0.15) });
  }
};

const liveThrough = async (seed: number, rates: FaultRates) => {
  const { plane, chance, calm } = createBadDay(seed, rates);
  // The pods are on a node that does not exist.
  plane.set('pod-gc', false);
  await plane.state.ownerEdges.complete();
  const [now, own] = [plane.clock.now(), chance.fork()];
  await plane.writer.write(DEPLOYMENT, () => ({ next: aDeployment(), writer: 'client' }));
  void kubelets(plane, own, now + DAY_MS, now + DAY_MS + QUIET_MS);
  void users(plane, own, now + DAY_MS);
  await plane.run(DAY_MS + 130_000);
  calm();
  await respec(plane, { template: templateOf('img:9'), paused: false });
  await plane.run(QUIET_MS);
  return plane;
};

const expectRolledOut = async (plane: ControlPlane): Promise<void> => {
  const images = (await podsOf(plane)).map(({ spec }) => JSON.stringify(spec['containers']));
  expect(images.filter((text) => text.includes('img:9'))).toHaveLength(REPLICAS);
  expect(images).toHaveLength(REPLICAS);
  const stored: Workload | undefined = liveRow(await plane.state.objects.read(DEPLOYMENT))?.object;
  expect(stored?.status).toMatchObject({
    replicas: REPLICAS,
    updatedReplicas: REPLICAS,
    availableReplicas: REPLICAS,
  });
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('rollouts with faults', () => {
  it('never have more pods than surge allows, and end with the wanted ones (W-63, W-77)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const plane = await liveThrough(seed, LONG_STALLS);
        expect(mostWanted(plane)).toBeLessThanOrEqual(REPLICAS + SURGE);
        await expectRolledOut(plane);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('give up no available pod that was promised, though statuses are old (W-64, W-79)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const plane = await liveThrough(seed, LOST_NEWS);
        expect(breachesOf(plane)).toEqual([]);
        await expectRolledOut(plane);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});
