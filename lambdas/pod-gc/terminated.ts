/** Terminated pods beyond the threshold. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { TerminatedPod } from '../../shared/ports/store/object-store.ts';
import { nextLook, tooManyTerminated } from '../../shared/rules/pods/terminated-pods.ts';
import { delayUntil } from '../../shared/rules/wake-up.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { collectTerminated } from './collect-pods.ts';
import { type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import { POD_GC_QUEUE } from './queue.ts';

const LOOK = { topic: 'terminated-pods', name: '' } as const;
/** Queues delay by whole seconds, so a planned look may come this much (ms) too early. */
const EARLY_MS = 1_000;

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
export const lookAtTerminated = async (
  deps: PodGcDeps,
  isPlanned: boolean,
  until: EpochMs,
): Promise<Collection> => {
  const { terminatedPodGcThreshold: threshold } = deps.config;
  if (threshold <= 0) return NOTHING;
  if (!(isPlanned ? await awaitPlanned(deps) : await takesLook(deps))) return NOTHING;
  return collectTerminated(deps, tooManyTerminated(await allTerminated(deps), threshold), until);
};
