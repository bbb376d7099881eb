// The pod garbage collector under races, crashes, lost messages and lost answers: it deletes no pod that has not to go, never too many
// terminated ones, and at quiet nothing is left.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { type LiveRow, liveRow, nodeKey, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { isOutOfService } from '../../../../shared/rules/nodes/out-of-service.ts';
import { withDeletion } from '../../../../shared/rules/pods/deletion.ts';
import { QUARANTINE_MS } from '../../../../shared/rules/pods/pod-gc.ts';
import { isTerminated } from '../../../../shared/rules/pods/terminated-pods.ts';
import type { Committed, ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { taint } from '../../../support/objects/domain-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';

const NODES = 4;
const PODS = 12;
const ACTORS = 4;
const OPERATIONS = 20;
const OUT = 'node.kubernetes.io/out-of-service:NoSchedule';
const HOLD = 'example.com/hold';
const HOUR_MS = 3_600_000;
/** Instants are stored by one clock and judged by another. */
const SKEW_MS = 2 * BAD_DAY.clockSkewMs;

interface World {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  /** Uids of pods that clients removed. */
  readonly byClients: Set<string>;
  made: number;
}

const anyNode = (chance: Chance): string => `n${Math.floor(chance.upTo(NODES))}`;
const podKey = (name: string): ObjectKey => ({ resource: 'pods', namespace: 'default', name });
const anyPod = (chance: Chance): ObjectKey => podKey(`p${Math.floor(chance.upTo(PODS))}`);

const putNode = async ({ plane, chance, ...world }: World): Promise<void> => {
  const name = anyNode(chance);
  const status = chance.hit(0.5) ? 'True' : 'False';
  const taints = chance.hit(0.5) ? [taint(OUT)] : [];
  const uid = `node-${chance.next()}-${world.made}`;
  await plane.writer.write(nodeKey(name), (found, now) => {
    const conditions = [{ type: 'Ready', status, lastTransitionTime: toTime(now) }] as const;
    const made: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid, creationTimestamp: toTime(now) },
    };
    const node = liveRow(found)?.object ?? made;
    return { next: { ...node, spec: { taints }, status: { conditions } }, writer: 'client' };
  });
};

const removeNode = async ({ plane, chance }: World): Promise<void> => {
  await plane.writer.write(nodeKey(anyNode(chance)), (found) =>
    liveRow(found) ? { next: 'delete', writer: 'client' } : undefined,
  );
};

const putPod = async (world: World): Promise<void> => {
  const { plane, chance } = world;
  const key = anyPod(chance);
  world.made += 1;
  const uid = `pod-${world.made}`;
  const held = chance.hit(0.15) ? { finalizers: [HOLD] } : {};
  const bound = chance.hit(0.85) ? { nodeName: anyNode(chance) } : {};
  await plane.writer.write(key, (found, now) => {
    if (liveRow(found)) return undefined;
    const metadata = { name: key.name, namespace: 'default', uid, generation: 1, ...held };
    const next: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, creationTimestamp: toTime(now) },
      // Of another scheduler, and tolerating every taint: nobody but pod-gc has anything to do with it.
      spec: { schedulerName: 'nobody', tolerations: [{ operator: 'Exists' }], ...bound },
      status: { phase: 'Running' },
    };
    return { next, writer: 'client' };
  });
};

const changePod = async (
  { plane, chance }: World,
  change: (pod: Pod, now: number) => Pod | undefined,
): Promise<void> => {
  await plane.writer.write(anyPod(chance), (found, now) => {
    const pod = liveRow(found)?.object as Pod | undefined;
    const next = pod && change(pod, now);
    return next && { next, writer: 'client' };
  });
};

const terminate = (world: World): Promise<void> => changePod(world, (pod, now) => withDeletion(pod, 30, now));

const end = (world: World): Promise<void> =>
  changePod(world, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }));

const removePod = async ({ plane, chance, byClients }: World): Promise<void> => {
  await plane.writer.write(anyPod(chance), (found) => {
    const row = liveRow(found);
    if (row) byClients.add(row.uid);
    return row && { next: 'delete', writer: 'client' };
  });
};

const actor = async (world: World): Promise<void> => {
  const { plane, chance } = world;
  for (let done = 0; done < OPERATIONS; done += 1) {
    await plane.clock.sleep(chance.upTo(20_000));
    if (chance.hit(0.25)) await putNode(world);
    else if (chance.hit(0.2)) await removeNode(world);
    else if (chance.hit(0.55)) await putPod(world);
    else if (chance.hit(0.6)) await terminate(world);
    else if (chance.hit(0.7)) await end(world);
    else await removePod(world);
  }
};

const isForced = (before: LiveRow, after: LiveRow | undefined): boolean =>
  after === undefined ||
  (after.object.metadata.deletionGracePeriodSeconds === 0 &&
    before.object.metadata.deletionGracePeriodSeconds !== 0);

/** Replays the commits, and judges each deletion by the objects at that moment. */
const faultsOf = (commits: readonly Committed[], byClients: ReadonlySet<string>) => {
  const nodes = new Map<string, Node>();
  const goneAt = new Map<string, number>();
  const faults: string[] = [];
  let deletions = 0;

  const faultOf = (at: number, pod: Pod): string | undefined => {
    const { nodeName = '' } = pod.spec;
    const node = nodes.get(nodeName);
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (nodeName === '') return isLeaving ? undefined : 'waited for a node';
    if (node) return isLeaving && isOutOfService(node) ? undefined : `was on ${nodeName}, which was there`;
    const goneMs = at - (goneAt.get(nodeName) ?? 0);
    return goneMs < QUARANTINE_MS - SKEW_MS ? `had only ${goneMs} ms` : undefined;
  };

  const judge = (at: number, { key, object }: LiveRow): void => {
    deletions += 1;
    const fault = faultOf(at, object as Pod);
    if (fault !== undefined) faults.push(`${key.name} ${fault}`);
  };

  for (const { at, change } of commits) {
    const [before, after] = [liveRow(change.before), liveRow(change.after)];
    const { resource, name } = (after ?? before)?.key ?? { resource: '', name: '' };
    if (resource === 'nodes') {
      if (after) nodes.set(name, after.object);
      else {
        nodes.delete(name);
        goneAt.set(name, at);
      }
    }
    if (resource === 'pods' && before && isForced(before, after) && !byClients.has(before.uid))
      judge(at, before);
  }
  return { faults, deletions };
};

const podsOf = async ({ state }: ControlPlane): Promise<readonly Pod[]> =>
  (await state.objects.page({ resource: 'pods', namespace: '' })).rows.map(({ object }) => object as Pod);

/** Nobody has to go any more, but for finalizers. */
const expectQuiet = async (plane: ControlPlane): Promise<void> => {
  for (const { metadata, spec, status } of await podsOf(plane)) {
    const { nodeName = '' } = spec;
    const row = nodeName === '' ? undefined : liveRow(await plane.state.objects.read(nodeKey(nodeName)));
    const isLeaving = metadata.deletionTimestamp !== undefined;
    const hasToGo =
      row === undefined ? nodeName !== '' || isLeaving : isLeaving && isOutOfService(row.object);
    if (!hasToGo) continue;
    expect(metadata.finalizers, metadata.name).toEqual([HOLD]);
    expect(['Failed', 'Succeeded'], metadata.name).toContain(status?.phase);
  }
  expect(
    (await plane.state.control.sightings('absent-node')).filter(
      ({ since }) => since < plane.clock.now() - HOUR_MS,
    ),
  ).toEqual([]);
};

describe('the pod garbage collector with faults', () => {
  it('deletes only pods that have to go, and at quiet all of them (K-73 to K-76, K-80, K-82, K-84)', async () => {
    let total = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = createBadDay(seed, BAD_DAY, { nodeMonitorGracePeriodMs: 1_000 * HOUR_MS });
        const { plane } = day;
        const world: World = { plane, chance: day.chance.fork(), byClients: new Set(), made: 0 };
        const acting = Promise.all(Array.from({ length: ACTORS }, () => actor(world)));
        await plane.run(OPERATIONS * 20_000);
        await acting;
        day.calm();
        await plane.run(2 * HOUR_MS);
        const { faults, deletions } = faultsOf(plane.commits, world.byClients);
        expect(faults).toEqual([]);
        await expectQuiet(plane);
        expect(unexplained(plane.failures)).toEqual([]);
        total += deletions;
      }),
      { numRuns: 40 },
    );
    // The runs meet what they are about.
    expect(total).toBeGreaterThan(50);
  });

  it('leaves exactly as many terminated pods as it should (K-71, K-81, K-84)', async () => {
    const THRESHOLD = 5;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = createBadDay(seed, BAD_DAY, {}, { terminatedPodGcThreshold: THRESHOLD });
        const { plane } = day;
        const chance = day.chance.fork();
        const count = async () => (await podsOf(plane)).filter(isTerminated).length;
        let ended = 0;
        let least = Number.POSITIVE_INFINITY;
        const ending = async (): Promise<void> => {
          for (; ended < 40; ended += 1) {
            await plane.clock.sleep(chance.upTo(8_000));
            const name = `e${ended}`;
            await plane.writer.write(podKey(name), (_, now) => ({
              next: {
                apiVersion: 'v1',
                kind: 'Pod',
                metadata: { name, namespace: 'default', uid: name, creationTimestamp: toTime(now) },
                spec: { schedulerName: 'nobody' },
                status: { phase: 'Failed', ...(chance.hit(0.2) ? { reason: 'Evicted' } : {}) },
              } as Pod,
              writer: 'client',
            }));
            if (ended >= THRESHOLD) least = Math.min(least, await count());
          }
        };
        const acting = ending();
        await plane.run(40 * 8_000);
        await acting;
        day.calm();
        await plane.run(HOUR_MS);
        expect(least).toBeGreaterThanOrEqual(THRESHOLD);
        expect(await count()).toBe(THRESHOLD);
        expect(unexplained(plane.failures)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
