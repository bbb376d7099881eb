import { workForOwner } from '../../shared/apiserver/children/work-for-owner.ts';
import { claimChild } from '../../shared/domain/workloads/children.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { OwnerEdgeStore } from '../../shared/ports/owner-edges.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { liveRow } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { areEdgesComplete } from '../../shared/state/dependents.ts';
import type { OwnerTurnDeps } from '../../shared/state/owner-turns.ts';
import type { Outgoing } from '../controller.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import type { OwnerMessage, ReplicaSetMessage } from './message.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';
import type { Named } from './view.ts';

/** Rows of one page. */
const PAGE_ROWS = 500;
/** The longest delay of a message in seconds, and of a repetition after a failure. */
const MOST_SECONDS = 900;
/** Seconds until pods are offered for adoption again, because another run had the turn. */
const OFFER_AGAIN_SECONDS = 2;
/** Seconds between two looks whether all objects have their owner edges: until then pods may seem to be missing. */
const EDGES_SECONDS = 10;

export interface ReplicaSetDeps extends LookDeps, Pick<OwnerTurnDeps, 'ownerTurns'> {
  readonly objects: ObjectStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly queues: WorkQueues;
}

/** What the looks of one message did. */
export type ReplicaSetReport = readonly LookReport[];

/** The rows of a resource in a namespace, page by page; `''` for all namespaces. */
async function* rowsIn(
  { objects }: Pick<ReplicaSetDeps, 'objects'>,
  resource: string,
  namespace: string,
): AsyncGenerator<LiveRow> {
  for (let after: string | undefined; ; ) {
    const from = after === undefined ? {} : { after };
    const { rows, next } = await objects.page({ resource, namespace, limit: PAGE_ROWS, ...from });
    yield* rows;
    if (next === undefined) return;
    after = next;
  }
}

const ownerOf = ({ namespace, name, uid }: OwnerMessage): Named => ({
  key: { resource: 'replicasets', namespace, name },
  uid,
});

const isAdoptable = (owner: LiveRow, pod: LiveRow): boolean => {
  const { spec } = owner.object as { spec?: { selector?: Parameters<typeof claimChild>[1] } };
  return claimChild(owner.object, spec?.selector, pod.object) === 'adopt';
};

/** The pods of the namespace that a new ReplicaSet may adopt. A pod that becomes one later sends a message itself. */
const adoptable = async (deps: ReplicaSetDeps, message: OwnerMessage): Promise<readonly Named[]> => {
  if (!message.adopts) return [];
  const { key, uid } = ownerOf(message);
  const owner = liveRow(await deps.objects.read(key));
  if (owner?.uid !== uid) return [];
  const found: Named[] = [];
  for await (const pod of rowsIn(deps, 'pods', key.namespace)) if (isAdoptable(owner, pod)) found.push(pod);
  return found;
};

const secondsOf = (ms: number): number => Math.min(MOST_SECONDS, Math.max(1, Math.ceil(ms / 1000)));

/** The message that follows from the last look, if one does. */
const nextMessage = (
  { clock }: ReplicaSetDeps,
  message: OwnerMessage,
  last: LookReport,
): Outgoing<OwnerMessage> | undefined => {
  const { attempt = 0, isWakeUp = false, adopts: _adopts, ...body } = message;
  if (last.hasMore) return { body };
  if (last.failure !== undefined)
    return { body: { ...body, attempt: attempt + 1 }, delaySeconds: secondsOf(1000 * 2 ** attempt) };
  // The look that wrote the status has sent the wake-up, and a wake-up that came too early is sent again.
  if (last.wakeAt === undefined || !(last.isStatusWritten || isWakeUp)) return undefined;
  return { body: { ...body, isWakeUp: true }, delaySeconds: secondsOf(last.wakeAt - clock.now()) };
};

/** `offer`: the message by which the candidates came; a run that has the turn does not know of them. */
const reconcileOwner = async (
  deps: ReplicaSetDeps,
  message: OwnerMessage,
  candidates: readonly Named[],
  offer: ReplicaSetMessage = message,
): Promise<ReplicaSetReport> => {
  const owner = ownerOf(message);
  const work = await workForOwner(deps, owner.uid, (turn) => look(deps, owner, candidates, turn));
  const { reports, isLeftToOther, againSeconds } = work;
  const last = reports.at(-1);
  const next = last && nextMessage(deps, message, last);
  const messages: Outgoing<ReplicaSetMessage>[] = next ? [next] : [];
  if (isLeftToOther && candidates.length > 0)
    messages.push({ body: offer, delaySeconds: OFFER_AGAIN_SECONDS });
  else if (againSeconds !== undefined) messages.push({ body: message, delaySeconds: againSeconds });
  if (messages.length > 0) await deps.queues.send(REPLICA_SET_QUEUE.name, messages);
  return reports;
};

/** Offers a pod without controller to the first ReplicaSet of its namespace that selects it. */
const reconcileOrphan = async (
  deps: ReplicaSetDeps,
  offer: Extract<ReplicaSetMessage, { kind: 'orphan' }>,
): Promise<ReplicaSetReport> => {
  const { namespace, name, uid } = offer;
  const pod = liveRow(await deps.objects.read({ resource: 'pods', namespace, name }));
  if (pod?.uid !== uid) return [];
  for await (const owner of rowsIn(deps, 'replicasets', namespace)) {
    if (!isAdoptable(owner, pod)) continue;
    const message: OwnerMessage = { v: 1, kind: 'owner', namespace, name: owner.key.name, uid: owner.uid };
    return reconcileOwner(deps, message, [pod], offer);
  }
  return [];
};

/**
 * Brings the pods of a ReplicaSet to the wanted number and keeps its status, or finds an owner for a pod. Throws if a read or
 * write fails; the message is delivered again.
 */
export const reconcile = async (
  deps: ReplicaSetDeps,
  message: ReplicaSetMessage,
): Promise<ReplicaSetReport> => {
  if (!(await areEdgesComplete(deps.ownerEdges))) {
    await deps.queues.send(REPLICA_SET_QUEUE.name, [{ body: message, delaySeconds: EDGES_SECONDS }]);
    return [];
  }
  return message.kind === 'orphan'
    ? reconcileOrphan(deps, message)
    : reconcileOwner(deps, message, await adoptable(deps, message));
};
