/** Evictions by clients that a Hold stops, if it says so. */
import { StatusError } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ControlStore } from '../../ports/store/control-store.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import { type HoldTarget, heldBy, targetOf } from '../../rules/holds/held-by.ts';
import { holdText } from '../../rules/holds/held-start.ts';
import type { ActiveHold } from '../../rules/holds/hold-book.ts';
import { type DestroyingWriter, withHolds } from '../../store/writer/destruction.ts';
import { createKnownHolds, type KnownHolds } from '../../store/writer/known-holds.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

const RETRY_AFTER_SECONDS = 10;

/** What this process knows of the holds, by its store: only evictions ask, and their code is loaded with the first of them. */
const KNOWN = new WeakMap<ControlStore, KnownHolds>();

const knownHolds = ({ control, clock }: ApiServerDeps): KnownHolds => {
  const known = KNOWN.get(control) ?? createKnownHolds({ control, clock });
  KNOWN.set(control, known);
  return known;
};

/** Writes what no Hold stops. */
export const destroyingWriter = (deps: ApiServerDeps): DestroyingWriter =>
  withHolds(deps.writer, knownHolds(deps));

/** The 429 of an eviction that a Hold stops. */
export const evictionHeld = (hold: ActiveHold): StatusError =>
  new StatusError('TooManyRequests', `Cannot evict pod: ${holdText(hold)}`, {
    causes: [{ reason: 'Hold', message: holdText(hold) }],
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** The node of the pod, for holds; `undefined`: it is not there. */
const targetOfPod = async (
  { objects }: Pick<ApiServerDeps, 'objects'>,
  { spec }: Pod,
): Promise<HoldTarget> => {
  const row = spec.nodeName ? liveRow(await objects.read(nodeKey(spec.nodeName))) : undefined;
  return row && targetOf(row.object);
};

/**
 * Throws 429 if a Hold that is known stops the eviction, before a budget is asked. Returns the node that it is about; while no Hold is known
 * it reads nothing, and the node is `undefined`: a Hold that has just come then stops the eviction wherever it is, and the client tries again.
 */
export const unheldTarget = async (deps: ApiServerDeps, pod: Pod): Promise<HoldTarget> => {
  const [holds, now] = [knownHolds(deps), deps.clock.now()];
  if (!heldBy(holds.book(), 'ClientEvictions', undefined, now)) return undefined;
  await holds.refresh();
  const target = await targetOfPod(deps, pod);
  const hold = heldBy(holds.book(), 'ClientEvictions', target, now);
  if (hold) throw evictionHeld(hold);
  return target;
};
