// Pods with exclusive volumes that come, go and move, and nodes that die, come back, are deleted or put out of service, under races,
// crashes, stalls, lost and doubled messages and lost answers: no two nodes ever have one volume, none is taken from a node that may use it
// without a reason, and at quiet every volume is where its pod is.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lambdas/attach-detach/sweep.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { VolumeAttachment } from '../../../../shared/kube/types/storage.ts';
import { type LiveRow, liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { UNMOUNT_WAIT_MS } from '../../../../shared/rules/attachments/detach.ts';
import { wantsVolumes } from '../../../../shared/rules/attachments/wanted-volumes.ts';
import { readyStatusOf } from '../../../../shared/rules/nodes/node-conditions.ts';
import { hasOutOfServiceTaint } from '../../../../shared/rules/nodes/out-of-service.ts';
import type { Committed, ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import {
  aBoundClaim,
  aCsiVolume,
  aManagedNode,
  aUser,
  uniqueName,
} from '../../../support/objects/attachment-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import { changeNode } from '../../../support/planes/fleet.ts';
import { attachmentsIn, playAttacher } from '../../../support/planes/play-attacher.ts';
import { playKubelets } from '../../../support/planes/play-kubelets.ts';
import { keyOf, put } from '../../../support/planes/stored-objects.ts';

const NODES = ['n1', 'n2', 'n3'];
const VOLUMES = ['a', 'b', 'c'];
const STEPS = 200;
/** Instants are stored by one clock and judged by another. */
const SKEW_MS = 2 * BAD_DAY.clockSkewMs;
/** Two pods may want one volume at the same time. */
const PODS = ['1', '2'];
/** The monitor leaves nodes alone: the test says which ones are ready. */
const PATIENT = { nodeMonitorGracePeriodMs: 36_000_000, nodeStartupGracePeriodMs: 36_000_000 };

/** Nodes whose kubelet works. */
type Alive = Set<string>;

const withReady = (node: Node, status: 'True' | 'Unknown'): Node => ({
  ...node,
  status: { ...node.status, conditions: [{ type: 'Ready', status }] },
});

/** The pod of a volume is made on a node, or leaves it. Nodes die and come back, with and without the taint, or are made anew. */
const userStep = async (plane: ControlPlane, chance: Chance, alive: Alive, count: number): Promise<void> => {
  const [volume, name] = [oneOf(chance, VOLUMES), oneOf(chance, NODES)];
  if (chance.hit(0.85)) {
    // Both pods of a volume often come and go together, on different nodes.
    for (const one of chance.hit(0.6) ? PODS : [oneOf(chance, PODS)]) {
      const podName = `p${one}-${volume}`;
      const fresh = aUser(podName, oneOf(chance, NODES), [volume]);
      const next = { ...fresh, metadata: { ...fresh.metadata, uid: `${podName}-${count}` } };
      await plane.writer.write(keyOf(next), (row) => ({
        next: liveRow(row) ? 'delete' : next,
        writer: 'client',
      }));
    }
  } else if (chance.hit(0.1)) {
    alive.delete(name);
    await plane.writer.write(nodeKey(name), (row) =>
      liveRow(row) ? { next: 'delete', writer: 'client' } : undefined,
    );
  } else if (alive.has(name)) {
    alive.delete(name);
    await changeNode(plane, name, (node) => withReady(node, 'Unknown'));
    if (chance.hit(0.3))
      await changeNode(plane, name, (node) => ({
        ...node,
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
      }));
  } else await revive(plane, alive, name);
};

const revive = async (plane: ControlPlane, alive: Alive, name: string): Promise<void> => {
  await plane.writer.write(nodeKey(name), (row) => {
    const node: Node = liveRow(row)?.object ?? aManagedNode(name);
    return { next: withReady({ ...node, spec: {} }, 'True'), writer: 'client' };
  });
  alive.add(name);
};

const allPods = async ({ state }: ControlPlane): Promise<readonly Pod[]> =>
  (await state.objects.page({ resource: 'pods', namespace: '' })).rows.map(({ object }) => object as Pod);

/** The volume's name in the pod's own. */
const volumeOf = (pod: Pod): string => pod.metadata.name.slice(3);

/** Follows the commits, and says what must never have happened. */
const createWitness = () => {
  const rows = new Map<string, LiveRow>();
  /** Instants at which the last pod left the volume at a node, since it was attached there. */
  const unwantedAt = new Map<string, number[]>();
  const wrongs: string[] = [];
  const all = <T>(resource: string): readonly T[] =>
    [...rows.values()].filter(({ key }) => key.resource === resource).map(({ object }) => object as T);
  const isTakenRightly = ({ spec }: VolumeAttachment, at: number): boolean => {
    const [nodeName = '', volume = ''] = [spec?.nodeName, spec?.source?.persistentVolumeName?.slice(3)];
    const node: Node | undefined = rows.get(`nodes/${nodeName}`)?.object;
    const inUse = (node?.status?.['volumesInUse'] ?? []) as readonly string[];
    if (node && (!inUse.includes(uniqueName(volume)) || hasOutOfServiceTaint(node))) return true;
    if (node && readyStatusOf(node) === 'True') return false;
    // A pod that comes and goes between two looks does not begin the six minutes again.
    return (unwantedAt.get(`${nodeName}/${volume}`) ?? []).some(
      (since) => at - since >= UNMOUNT_WAIT_MS - SKEW_MS,
    );
  };
  const isWanted = (nodeName: string, volume: string): boolean =>
    all<Pod>('pods').some(
      (one) => one.spec.nodeName === nodeName && volumeOf(one) === volume && wantsVolumes(one),
    );
  const noteLeft = (pod: Pod, at: number): void => {
    const [nodeName = '', volume] = [pod.spec.nodeName, volumeOf(pod)];
    const path = `${nodeName}/${volume}`;
    if (!isWanted(nodeName, volume)) unwantedAt.set(path, [...(unwantedAt.get(path) ?? []), at]);
  };
  /** The pod for which it was made may have left already. */
  const noteMade = ({ spec }: VolumeAttachment, at: number): void => {
    const [nodeName = '', volume = ''] = [spec?.nodeName, spec?.source?.persistentVolumeName?.slice(3)];
    unwantedAt.set(`${nodeName}/${volume}`, isWanted(nodeName, volume) ? [] : [at]);
  };
  const checkAttachments = (before: LiveRow | undefined, after: LiveRow | undefined, at: number): void => {
    const made: VolumeAttachment | undefined = after?.object;
    const holders = all<VolumeAttachment>('volumeattachments').map(
      ({ spec }) => spec?.source?.persistentVolumeName,
    );
    if (new Set(holders).size !== holders.length) wrongs.push(`${at}: two nodes have one volume`);
    const [was, is] = [before?.object, after?.object].map(
      (one) => one && one.metadata.deletionTimestamp === undefined,
    );
    if (is && made && !before) noteMade(made, at);
    if (was && !is && before && !isTakenRightly(before.object, at))
      wrongs.push(`${at}: ${before.key.name} was in use`);
  };
  return {
    wrongs,
    see: ({ at, change: { after } }: Committed): void => {
      if (!after) return;
      const path = `${after.key.resource}/${after.key.name}`;
      const before = rows.get(path);
      const live = liveRow(after);
      if (live) rows.set(path, live);
      else rows.delete(path);
      for (const row of [before, live]) if (row?.key.resource === 'pods') noteLeft(row.object as Pod, at);
      if (after.key.resource === 'volumeattachments') checkAttachments(before, live, at);
    },
  };
};

const live = async (seed: number): Promise<void> => {
  const { plane, chance, calm } = createBadDay(seed, BAD_DAY, PATIENT);
  for (const part of ['taint-eviction', 'pod-gc', 'volume-binder'] as const) plane.set(part, false);
  const alive: Alive = new Set();
  for (const name of NODES) await revive(plane, alive, name);
  for (const name of VOLUMES)
    for (const object of [aCsiVolume(name), aBoundClaim(name)]) await put(plane, object);
  playAttacher(plane);
  playKubelets(plane, alive);
  const user = async (): Promise<void> => {
    for (let count = 0; count < STEPS; count += 1) {
      if (chance.hit(0.7))
        await plane.clock.sleep(chance.hit(0.03) ? chance.upTo(400_000) : chance.upTo(6_000));
      await userStep(plane, chance, alive, count);
    }
  };
  const done = user();
  await plane.run(300_000);
  await plane.clock.run(done);
  calm();
  for (const name of NODES) await revive(plane, alive, name);
  await plane.run(60_000);
  await plane.clock.run(sweep(plane.invoke()));
  await plane.run(120_000);
  const witness = createWitness();
  for (const commit of plane.commits) witness.see(commit);
  expect(witness.wrongs).toEqual([]);
  const wanted = new Set((await allPods(plane)).map((pod) => `pv-${volumeOf(pod)} ${pod.spec.nodeName}`));
  const attached = (await attachmentsIn(plane)).map(
    ({ spec }) => `${spec?.source?.persistentVolumeName} ${spec?.nodeName}`,
  );
  expect(attached.filter((one) => !wanted.has(one))).toEqual([]);
  expect(attached).toHaveLength(new Set([...wanted].map((one) => one.split(' ')[0])).size);
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('volumes on a bad day', () => {
  it('are never at two nodes, and end up where their pods are (J-44, J-47, J-48)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 10 });
  }, 180_000);
});
