// Rollouts under races, crashes, stalls, doubled and lost messages, while users change the template: the ReplicaSets of a Deployment never want more
// pods than replicas and surge, fewer than promised of those that they report as available are never kept, and at quiet there are exactly the wanted ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../local/simulation/control-plane-types.ts';
import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY, type FaultRates } from '../../../shared/adapters/hostile/process.ts';
import type { Pod } from '../../../shared/api/core.ts';
import { defaultDeployment, type Workload } from '../../../shared/api/defaults/workload.ts';
import type { ApiObject } from '../../../shared/api/meta.ts';
import { toTime } from '../../../shared/api/time.ts';
import { controllerOf } from '../../../shared/domain/pods/disruption-budget.ts';
import { isPodReady } from '../../../shared/domain/pods/pod-conditions.ts';
import type { ObjectKey, Row } from '../../../shared/ports/rows.ts';
import { liveRow } from '../../../shared/ports/rows.ts';
import { aWorkload } from '../../support/workload-objects.ts';
import { createBadDay, unexplained } from './bad-day.ts';

const [REPLICAS, SURGE, UNAVAILABLE] = [6, 2, 1];
const IMAGES = ['img:1', 'img:2', 'img:3'];
const DAY_MS = 20 * 60_000;
const QUIET_MS = 70 * 60_000;
const DEPLOYMENT: ObjectKey = { resource: 'deployments', namespace: 'default', name: 'web' };

/** A turn relies on consistent reads, of which the wrapper shows half for seconds. Stalls are longer than a turn. */
const RATES: FaultRates = { ...BAD_DAY, halfVisible: 0, stall: 0.03, stallMs: 40_000 };

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

/** The pods that a ReplicaSet reports as available and keeps. */
const keptBy = (row: Row): number => {
  const set: Workload | undefined = liveRow(row)?.object;
  return Math.min(wantedBy(row), Number(set?.status?.['availableReplicas'] ?? 0));
};

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

/** What the commits of a day have led to: how many pods were wanted at most, and kept available at least once all were. */
const limitsOf = ({ commits }: ControlPlane) => {
  const [wanted, kept] = [new Map<string, number>(), new Map<string, number>()];
  const limits = { mostWanted: 0, leastKept: Number.POSITIVE_INFINITY };
  const sets = commits.flatMap(({ change: { after } }) =>
    after?.key.resource === 'replicasets' ? [after] : [],
  );
  for (const set of sets) {
    wanted.set(set.key.name, wantedBy(set));
    kept.set(set.key.name, keptBy(set));
    limits.mostWanted = Math.max(limits.mostWanted, sumOf(wanted));
    const isWatched = limits.leastKept < Number.POSITIVE_INFINITY || sumOf(kept) >= REPLICAS;
    if (isWatched) limits.leastKept = Math.min(limits.leastKept, sumOf(kept));
  }
  return limits;
};

const podsOf = async ({ state }: ControlPlane): Promise<readonly Pod[]> =>
  (await state.objects.page({ resource: 'pods', namespace: 'default' })).rows.map(
    ({ object }) => object as Pod,
  );

/** What a kubelet makes of a pod: it runs and is ready, or it is gone. */
const attended = (pod: Pod, now: number): Pod | 'delete' =>
  pod.metadata.deletionTimestamp === undefined
    ? {
        ...pod,
        spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? 'n1' },
        status: {
          ...pod.status,
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(now) }],
        },
      }
    : 'delete';

/** Kubelets look at each pod now and then, until the clock has come to `until`. */
const kubelets = async (plane: ControlPlane, chance: Chance, until: number): Promise<void> => {
  while (plane.clock.now() < until) {
    await plane.clock.sleep(500 + chance.upTo(4_000));
    for (const { metadata } of await podsOf(plane)) {
      if (chance.hit(0.5)) continue;
      await plane.writer.write(
        { resource: 'pods', namespace: 'default', name: metadata.name },
        (row, now) => {
          const pod = liveRow(row)?.object as Pod | undefined;
          const isDone = !pod || (isPodReady(pod) && pod.metadata.deletionTimestamp === undefined);
          return isDone ? undefined : { next: attended(pod, now), writer: 'client' };
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

const liveThrough = async (seed: number) => {
  const { plane, chance, calm } = createBadDay(seed, RATES);
  await plane.state.ownerEdges.complete();
  const [now, own] = [plane.clock.now(), chance.fork()];
  await plane.writer.write(DEPLOYMENT, () => ({ next: aDeployment(), writer: 'client' }));
  void kubelets(plane, own, now + DAY_MS + QUIET_MS);
  void users(plane, own, now + DAY_MS);
  await plane.run(DAY_MS + 130_000);
  calm();
  await respec(plane, { template: templateOf('img:9'), paused: false });
  await plane.run(QUIET_MS);
  return plane;
};

describe('rollouts with faults', () => {
  it('stay within surge and availability, and end with the wanted pods (W-63, W-64, W-77)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const plane = await liveThrough(seed);
        const limits = limitsOf(plane);
        expect(limits.mostWanted).toBeLessThanOrEqual(REPLICAS + SURGE);
        expect(limits.leastKept).toBeGreaterThanOrEqual(REPLICAS - UNAVAILABLE);
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
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});
