import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { type EventText, nodeTarget } from '../../shared/ports/process/event-recorder.ts';
import type { TerminatedPod } from '../../shared/ports/store/object-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { hasOutOfServiceTaint, outOfServiceDoubt } from '../../shared/rules/nodes/out-of-service.ts';
import { nextLook, tooManyTerminated } from '../../shared/rules/pods/terminated-pods.ts';
import { delayUntil } from '../../shared/rules/wake-up.ts';
import { readHeard } from '../../shared/store/beats/relayed-items.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { endQuarantine, lookAtAbsent } from './absent-node.ts';
import { collectPods, collectTerminated, groundsOf, readGrounds } from './collect-pods.ts';
import { type CollectedPod, type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import { lookAtFormer, rememberFormer } from './former-node.ts';
import type { PodGcMessage } from './message.ts';
import { POD_GC_QUEUE } from './queue.ts';

/** Milliseconds after which a run begins with no further pod and sends its message again. */
const RUN_MS = 10_000;
/** Seconds after which pods that could not be deleted are tried again: Kubernetes' period. */
const RETRY_SECONDS = 20;

type Message<K> = Extract<PodGcMessage, { kind: K }>;

const LOOK = { topic: 'terminated-pods', name: '' } as const;
/** Queues delay by whole seconds, so a planned look may come this much (ms) too early. */
const EARLY_MS = 1_000;

const warning = (reason: string, message: string): EventText => ({
  type: 'Warning',
  reason,
  message,
  component: 'pod-garbage-collector',
});

const TEXTS = {
  ready: (node: string): EventText =>
    warning(
      'OutOfServiceNodeReady',
      `Node ${node} has the taint ${TAINT_OUT_OF_SERVICE} but is ready: its pods are not deleted by force while it is`,
    ),
  heard: (node: string): EventText =>
    warning(
      'OutOfServiceNodeAlive',
      `Node ${node} has the taint ${TAINT_OUT_OF_SERVICE} but still sends heartbeats: its terminating pods are deleted by force although their containers may run`,
    ),
} as const;

/** The taint was set once: each reason is told once of it. */
const occasionOf = ({ spec }: Node): string =>
  (spec?.taints ?? []).find(({ key }) => key === TAINT_OUT_OF_SERVICE)?.timeAdded ?? '';

/** Records an Event on a node that has the taint of a machine that is off, although its machine sends beats. */
const warnOfLivingNode = async (
  { clock, heartbeats, recorder, config }: PodGcDeps,
  { key: { name }, uid, object }: LiveRow,
): Promise<void> => {
  if (!hasOutOfServiceTaint(object)) return;
  const { item: beats } = await readHeard(heartbeats, name, clock.now());
  const doubt = outOfServiceDoubt(object, beats?.observedAt, clock.now(), config.nodeMonitorGracePeriodMs);
  if (!doubt) return;
  await recorder.record(nodeTarget(name, uid), TEXTS[doubt](name), occasionOf(object));
};

/** A Node that is there: the pods of the former one, and of a node out of service. */
const overLive = async (deps: PodGcDeps, row: LiveRow, until: EpochMs): Promise<Collection> => {
  const { name } = row.key;
  await warnOfLivingNode(deps, row);
  const former = await lookAtFormer(deps, row, until);
  const grounds = groundsOf(name, row);
  if (grounds.node === 'serving') return former;
  const { value: pods } = await deps.objects.podsByNode(name);
  const others = await collectPods(deps, pods, grounds, () => readGrounds(deps, name), until);
  return { pods: [...former.pods, ...others.pods], isCut: former.isCut || others.isCut };
};

const overNode = async (
  deps: PodGcDeps,
  { name, former }: Message<'node'>,
  until: EpochMs,
): Promise<Collection> => {
  const row = await deps.objects.read(nodeKey(name));
  if (row?.state !== 'live') return lookAtAbsent(deps, { name, uid: row?.uid ?? '', former }, [], until);
  if (former) await rememberFormer(deps, name, former);
  await endQuarantine(deps, name);
  return overLive(deps, row, until);
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

const awaitPlanned = async ({ clock, control }: PodGcDeps): Promise<true> => {
  const lookAt = (await control.sighting(LOOK))?.since ?? 0;
  if (lookAt <= clock.now() + EARLY_MS) await waitUntil(clock, lookAt);
  return true;
};

/** Whether this run looks now; else another one has looked, or is planned for later. */
const takesLook = async ({ clock, control, queues }: PodGcDeps): Promise<boolean> => {
  const seen = await control.sighting(LOOK);
  const now = clock.now();
  const next = nextLook(seen?.since, now);
  if (next === undefined) return false;
  if (next === 'now') return control.replaceSighting(LOOK, seen, { ...LOOK, uid: '', since: now });
  const body = { v: 1, kind: 'terminated', isPlanned: true };
  // Before the instant is stored, so that no crash can leave a look that nobody takes.
  await queues.send(POD_GC_QUEUE.name, [{ body, delaySeconds: delayUntil(next, now) }]);
  await control.replaceSighting(LOOK, seen, { ...LOOK, uid: '', since: next });
  return false;
};

const allTerminated = async ({ objects }: PodGcDeps): Promise<readonly TerminatedPod[]> => {
  const pods: TerminatedPod[] = [];
  for await (const { value } of objects.terminatedPods()) for (const pod of value) pods.push(pod);
  return pods;
};

/** Deletes the terminated pods that are too many, unless another look was or will be soon. */
const lookAtTerminated = async (deps: PodGcDeps, isPlanned: boolean, until: EpochMs): Promise<Collection> => {
  const { terminatedPodGcThreshold: threshold } = deps.config;
  if (threshold <= 0) return NOTHING;
  if (!(isPlanned ? await awaitPlanned(deps) : await takesLook(deps))) return NOTHING;
  return collectTerminated(deps, tooManyTerminated(await allTerminated(deps), threshold), until);
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
