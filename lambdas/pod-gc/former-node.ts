/** A Node that was made again under its name, and the pods of the former one. */
import { conflict } from '../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting, SightingKey } from '../../shared/ports/store/control-store.ts';
import { type LiveRow, liveRow } from '../../shared/ports/store/rows.ts';
import { targetOf } from '../../shared/rules/holds/held-by.ts';
import {
  endedWithNode,
  type FormerNode,
  isOfFormerNode,
  judgeFormer,
} from '../../shared/rules/pods/former-node.ts';
import { tryAll } from './collect-pods.ts';
import { type CollectedPod, type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import { POD_GC_QUEUE } from './queue.ts';

/** Milliseconds after which a Node of today is not judged any more by a former one that was heard of late: its machine may have booted since. */
const LATE_MS = 10 * 60_000;
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

/** Throws a conflict if the Node is not as it was judged: it may have said another boot since, and the next look judges anew. */
const end = async (
  { writer }: PodGcDeps,
  pod: LiveRow,
  { key: node, revision, object }: LiveRow,
  createdAt: EpochMs,
): Promise<CollectedPod | undefined> => {
  const { outcome } = await writer.destroy(
    pod.key,
    (found, now) => {
      const row = liveRow(found);
      if (row?.uid !== pod.uid || !isOf(row, node.name, createdAt)) return undefined;
      const rows = [{ key: node, revision }];
      const held = { stops: 'NodeDeletion', node: targetOf(object) } as const;
      return { ...endedWithNode(row.object as Pod, now), ...held, writer: 'controller', rows };
    },
    pod,
  );
  if (outcome === 'checkFailed') throw conflict(node);
  const { namespace } = pod.key;
  if (outcome === 'held') return { namespace, reason: REASON, outcome };
  return outcome === 'written' ? { namespace, reason: REASON, outcome: 'deleted' } : undefined;
};

const endAll = async (
  deps: PodGcDeps,
  node: LiveRow,
  createdAt: EpochMs,
  until: EpochMs,
): Promise<Collection> => {
  const { name } = node.key;
  const { value } = await deps.objects.podsByNode(name);
  const pods = value.filter((pod) => isOf(pod, name, createdAt));
  return tryAll(deps, pods, REASON, until, (pod) => end(deps, pod, node, createdAt));
};

const verdictOn = (seen: Sighting, { object }: LiveRow, createdAt: EpochMs, now: EpochMs) =>
  seen.since - createdAt > LATE_MS ? 'keep' : judgeFormer(formerOf(seen), object, createdAt, now);

const sendAgain = async ({ queues }: PodGcDeps, name: string): Promise<typeof NOTHING> => {
  const body = { v: 1, kind: 'node', name };
  await queues.send(POD_GC_QUEUE.name, [{ body, delaySeconds: AGAIN_SECONDS }]);
  return NOTHING;
};

/** Ends the pods of the Node that was there before this one, unless the machine is the same, in the same boot. */
export const lookAtFormer = async (deps: PodGcDeps, node: LiveRow, until: EpochMs): Promise<Collection> => {
  const { name } = node.key;
  const seen = await deps.control.sighting(keyOf(name));
  const createdAt = node.facts.node?.createdAt;
  if (!seen || createdAt === undefined) return NOTHING;
  const verdict = verdictOn(seen, node, createdAt, deps.clock.now());
  if (verdict === 'wait') return sendAgain(deps, name);
  const ended = verdict === 'end' ? await endAll(deps, node, createdAt, until) : NOTHING;
  if (!ended.isCut && ended.pods.every(({ outcome }) => outcome === 'deleted'))
    await forgetFormer(deps, name);
  return ended;
};
