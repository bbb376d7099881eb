/** A Node that was made again under its name, and the pods of the former one. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting, SightingKey } from '../../shared/ports/store/control-store.ts';
import { type LiveRow, liveRow } from '../../shared/ports/store/rows.ts';
import {
  endedWithNode,
  type FormerNode,
  isOfFormerNode,
  judgeFormer,
} from '../../shared/rules/pods/former-node.ts';
import { tryAll } from './collect-pods.ts';
import { type CollectedPod, type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import { POD_GC_QUEUE } from './queue.ts';

/** Seconds until the machine is asked again in which boot it is. */
const AGAIN_SECONDS = 5;
const REASON = 'former-node';

const keyOf = (name: string): SightingKey => ({ topic: REASON, name });

const formerOf = ({ uid: text }: Sighting): FormerNode => {
  const [uid = '', bootId = ''] = text.split(' ');
  return { uid, bootId };
};

/** Stores the Node that is gone, until its pods are. One from before that still has pods counts: these are then ended in any case. */
export const rememberFormer = async (
  { clock, control }: PodGcDeps,
  name: string,
  { uid, bootId }: FormerNode,
): Promise<void> => {
  const seen = await control.sighting(keyOf(name));
  if (seen) return;
  await control.replaceSighting(keyOf(name), seen, {
    ...keyOf(name),
    uid: `${uid} ${bootId}`,
    since: clock.now(),
  });
};

/** No pod of the former Node is left. */
export const forgetFormer = async ({ control }: PodGcDeps, name: string): Promise<void> => {
  const seen = await control.sighting(keyOf(name));
  if (seen) await control.replaceSighting(seen, seen, undefined);
};

const isOf = ({ object, facts }: LiveRow, nodeName: string, createdAt: EpochMs): boolean =>
  facts.pod?.nodeName === nodeName && isOfFormerNode(object as Pod, facts.pod.boundAt, createdAt);

const end = async (
  { writer }: PodGcDeps,
  pod: LiveRow,
  nodeName: string,
  createdAt: EpochMs,
): Promise<CollectedPod | undefined> => {
  const { outcome } = await writer.write(
    pod.key,
    (found, now) => {
      const row = liveRow(found);
      if (row?.uid !== pod.uid || !isOf(row, nodeName, createdAt)) return undefined;
      return { ...endedWithNode(row.object as Pod, now), writer: 'controller' };
    },
    pod,
  );
  const { namespace } = pod.key;
  return outcome === 'written' ? { namespace, reason: REASON, outcome: 'deleted' } : undefined;
};

const endAll = async (
  deps: PodGcDeps,
  name: string,
  createdAt: EpochMs,
  until: EpochMs,
): Promise<Collection> => {
  const { value } = await deps.objects.podsByNode(name);
  const pods = value.filter((pod) => isOf(pod, name, createdAt));
  return tryAll(deps, pods, REASON, until, (pod) => end(deps, pod, name, createdAt));
};

/** Ends the pods of the Node that was there before this one, unless the machine is the same, in the same boot. */
export const lookAtFormer = async (
  deps: PodGcDeps,
  { key: { name }, object, facts }: LiveRow,
  until: EpochMs,
): Promise<Collection> => {
  const seen = await deps.control.sighting(keyOf(name));
  const createdAt = facts.node?.createdAt;
  if (!seen || createdAt === undefined) return NOTHING;
  const verdict = judgeFormer(formerOf(seen), object, createdAt, deps.clock.now());
  if (verdict === 'wait') {
    const body = { v: 1, kind: 'node', name };
    await deps.queues.send(POD_GC_QUEUE.name, [{ body, delaySeconds: AGAIN_SECONDS }]);
    return NOTHING;
  }
  const ended = verdict === 'end' ? await endAll(deps, name, createdAt, until) : NOTHING;
  if (!ended.isCut && ended.pods.every(({ outcome }) => outcome === 'deleted'))
    await forgetFormer(deps, name);
  return ended;
};
