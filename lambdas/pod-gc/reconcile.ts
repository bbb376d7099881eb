import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { endQuarantine, lookAtAbsent } from './absent-node.ts';
import { collectPods, groundsOf, readGrounds } from './collect-pods.ts';
import { type CollectedPod, type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import type { PodGcMessage } from './message.ts';
import { POD_GC_QUEUE } from './queue.ts';
import { lookAtTerminated } from './terminated.ts';
import { warnOfLivingNode } from './warn-of-living-node.ts';

/** Milliseconds after which a run begins with no further pod and sends its message again. */
const RUN_MS = 10_000;
/** Seconds after which pods that could not be deleted are tried again: Kubernetes' period. */
const RETRY_SECONDS = 20;

type Message<K> = Extract<PodGcMessage, { kind: K }>;

const overNode = async (deps: PodGcDeps, { name }: Message<'node'>, until: EpochMs): Promise<Collection> => {
  const row = await deps.objects.read(nodeKey(name));
  if (row?.state !== 'live') return lookAtAbsent(deps, { name, uid: row?.uid ?? '' }, [], until);
  await endQuarantine(deps, name);
  await warnOfLivingNode(deps, row);
  const grounds = groundsOf(name, row);
  if (grounds.node === 'serving') return NOTHING;
  const { value: pods } = await deps.objects.podsByNode(name);
  return collectPods(deps, pods, grounds, () => readGrounds(deps, name), until);
};

const overPod = async (
  deps: PodGcDeps,
  { namespace, name, uid }: Message<'pod'>,
  until: EpochMs,
): Promise<Collection> => {
  const pod = liveRow(await deps.objects.read({ resource: 'pods', namespace, name }));
  if (pod?.uid !== uid) return NOTHING;
  const nodeName = (pod.object as Pod).spec.nodeName ?? '';
  const row = nodeName === '' ? undefined : await deps.objects.read(nodeKey(nodeName));
  const grounds = groundsOf(nodeName, row);
  if (grounds.node === 'gone')
    return lookAtAbsent(deps, { name: nodeName, uid: row?.uid ?? '' }, [pod], until);
  return collectPods(deps, [pod], grounds, () => readGrounds(deps, nodeName), until);
};

const look = async (deps: PodGcDeps, message: PodGcMessage, until: EpochMs): Promise<Collection> => {
  switch (message.kind) {
    case 'node':
      return overNode(deps, message, until);
    case 'pod':
      return overPod(deps, message, until);
    case 'terminated':
      return lookAtTerminated(deps, message.isPlanned === true, until);
  }
};

const again = (message: PodGcMessage): PodGcMessage =>
  message.kind === 'terminated' ? { ...message, isPlanned: true } : message;

/**
 * Handles a queued message. What it could not delete, or had no time for, it queues again, so that the other pods do not wait. Throws if
 * something could not be read; the message is then delivered again.
 */
export const reconcile = async (deps: PodGcDeps, message: PodGcMessage): Promise<readonly CollectedPod[]> => {
  const { pods, isCut } = await look(deps, message, deps.clock.now() + RUN_MS);
  const delaySeconds = isCut ? 0 : RETRY_SECONDS;
  if (isCut || pods.some(({ outcome }) => outcome === 'failed'))
    await deps.queues.send(POD_GC_QUEUE.name, [{ body: again(message), delaySeconds }]);
  return pods;
};
