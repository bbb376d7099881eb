/** The quarantine of nodes that are gone, and the end of their pods. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting, SightingKey } from '../../shared/ports/store/control-store.ts';
import { type LiveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import type { FormerNode } from '../../shared/rules/pods/former-node.ts';
import { judgeAbsence, QUARANTINE_MS } from '../../shared/rules/pods/pod-gc.ts';
import { delayUntil } from '../../shared/rules/wake-up.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { collectPods, type Grounds, goneGrounds } from './collect-pods.ts';
import { type Collection, NOTHING, type PodGcDeps } from './deps.ts';
import { forgetFormer, rememberFormer } from './former-node.ts';
import { POD_GC_QUEUE } from './queue.ts';

/** The run itself waits for the end of a quarantine that is less than this far ahead (ms), because queues delay by whole seconds. */
const NEAR_MS = 2_000;

/** A node that is gone. `uid`: the uid that it had; `''` if nobody knows. */
export interface AbsentNode {
  readonly name: string;
  readonly uid: string;
  /** The Node, if it has just gone. */
  readonly former?: FormerNode | undefined;
}

const keyOf = (name: string): SightingKey => ({ topic: 'absent-node', name });

/** The node is there, or nobody names it any more: what was seen does not count. */
const forget = async ({ control }: PodGcDeps, seen: Sighting | undefined): Promise<void> => {
  if (seen) await control.replaceSighting(seen, seen, undefined);
};

/** Ends the quarantine of a node that is there. */
export const endQuarantine = async (deps: PodGcDeps, name: string): Promise<void> =>
  forget(deps, await deps.control.sighting(keyOf(name)));

const begin = async (
  deps: PodGcDeps,
  { name, uid, former }: AbsentNode,
  seen: Sighting | undefined,
  known: readonly LiveRow[],
): Promise<Collection> => {
  const { clock, control, objects, queues } = deps;
  const pods = known.length > 0 ? known : (await objects.podsByNode(name)).value;
  if (pods.length === 0) await Promise.all([forget(deps, seen), forgetFormer(deps, name)]);
  else {
    if (former) await rememberFormer(deps, name, former);
    const since = clock.now();
    const delaySeconds = delayUntil(since + QUARANTINE_MS, clock.now());
    // Before the instant is stored, so that no crash can leave a quarantine whose end nobody looks at.
    await queues.send(POD_GC_QUEUE.name, [{ body: { v: 1, kind: 'node', name }, delaySeconds }]);
    await control.replaceSighting(keyOf(name), seen, { ...keyOf(name), uid, since });
  }
  return NOTHING;
};

/** A node that was there meanwhile keeps its pods: if it is gone again, it begins a new quarantine. */
const wasThere = async (): Promise<Grounds> => ({ nodeName: '', node: 'serving', checks: [] });

const collect = async (
  deps: PodGcDeps,
  { name, uid }: AbsentNode,
  seen: Sighting | undefined,
  until: EpochMs,
): Promise<Collection> => {
  const { value: pods } = await deps.objects.podsByNode(name);
  const collection = await collectPods(deps, pods, goneGrounds(name, uid), wasThere, until);
  const isComplete = !collection.isCut && collection.pods.every(({ outcome }) => outcome === 'deleted');
  // Whoever names the node later begins a new quarantine, as in Kubernetes.
  if (isComplete) await Promise.all([forget(deps, seen), forgetFormer(deps, name)]);
  return collection;
};

/**
 * Begins the quarantine of a node that some pod names, or deletes its pods if the quarantine is over. `known`: pods that name it, although
 * the index may not show them yet.
 */
export const lookAtAbsent = async (
  deps: PodGcDeps,
  absent: AbsentNode,
  known: readonly LiveRow[],
  until: EpochMs,
): Promise<Collection> => {
  const seen = await deps.control.sighting(keyOf(absent.name));
  const now = deps.clock.now();
  const verdict = judgeAbsence(seen, absent.uid, now);
  if (verdict === 'begin') return begin(deps, absent, seen, known);
  if (absent.former) await rememberFormer(deps, absent.name, absent.former);
  if (verdict === 'collect') return collect(deps, absent, seen, until);
  const endsAt = (seen?.since ?? now) + QUARANTINE_MS;
  if (endsAt - now > NEAR_MS) return NOTHING;
  await waitUntil(deps.clock, endsAt);
  return lookAgain(deps, absent.name, until);
};

/** After a wait the node is read again. */
const lookAgain = async (deps: PodGcDeps, name: string, until: EpochMs): Promise<Collection> => {
  const row = await deps.objects.read(nodeKey(name));
  if (row?.state === 'live') return NOTHING;
  const seen = await deps.control.sighting(keyOf(name));
  const isOver = judgeAbsence(seen, row?.uid ?? '', deps.clock.now()) === 'collect';
  return isOver ? collect(deps, { name, uid: row?.uid ?? '' }, seen, until) : NOTHING;
};
