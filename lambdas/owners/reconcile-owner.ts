/** What the controllers of workloads do with a message: look at the owner within its turn, and queue what follows. */

import type { ApiObject, LabelSelector } from '../../shared/kube/types/meta.ts';
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { OfferMessage, OwnerMessage, WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { OutgoingMessage, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../shared/ports/store/owner-edges.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { claimChild } from '../../shared/rules/workloads/children/children.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import type { OwnerTurn, OwnerTurnDeps } from '../../shared/store/turns/owner-turns.ts';
import { readLive } from '../../shared/store/writer/dependents.ts';
import { areEdgesComplete } from '../../shared/store/writer/owner-edges.ts';
import { workForOwner } from './work-for-owner.ts';

/** The longest delay of a message in seconds, and of a repetition after a failure. */
const MOST_SECONDS = 900;
const RETRY: BackOffDelays = { firstMs: 1_000, mostMs: MOST_SECONDS * 1000 };
/** Seconds until children are offered for adoption again, because another run had the turn. */
const OFFER_AGAIN_SECONDS = 2;
/** Seconds between two looks whether all objects have their owner edges: until then children may seem to be missing. */
const EDGES_SECONDS = 10;

/** An object by key and uid. */
export type Named = Pick<LiveRow, 'key' | 'uid'>;

/** What a look says about further looks. */
export interface OwnerLook {
  /** Why a child could not be created; the look is to be repeated later. */
  readonly failure?: string;
  /** There is more to do, beyond the limit of one look. */
  readonly hasMore: boolean;
  readonly isStatusWritten: boolean;
  /** When something will have changed by time alone (ms). */
  readonly wakeAt?: EpochMs;
  /** The wake-up may not follow from a change of the status: send one after each look. */
  readonly isAlwaysWoken?: boolean;
}

/** What handling a message needs. */
export interface OwnerReconcileDeps extends OwnerTurnDeps {
  readonly objects: ObjectStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly queues: WorkQueues;
}

/**
 * Looks at the owner with this uid within its turn. `candidates`: children without controller that it may adopt. Throws `TurnLost`, and if
 * a read or write fails.
 */
export type LookAtOwner<Deps, Look> = (
  deps: Deps,
  owner: Named,
  candidates: readonly Named[],
  turn: OwnerTurn,
) => Promise<Look>;

type MayOwn = (owner: ApiObject, child: ApiObject) => boolean;

/** A kind of owner and its controller. */
export interface OwnerKind<Deps, Look extends OwnerLook> {
  /** Plural of the owners, and of the children that they adopt. */
  readonly owners: string;
  readonly children: string;
  /** Whether the owner could have a child like this one, besides what its selector says. Absent: it could. */
  readonly mayOwn?: MayOwn;
  /** Whether a look reads children by the summaries of their edges, which may lag behind them. Absent: it reads the children. */
  readonly readsSummaries?: boolean;
  /** Name of the controller's queue. */
  readonly queue: string;
  readonly look: LookAtOwner<Deps, Look>;
}

const isAdoptable = (owner: LiveRow, child: LiveRow, mayOwn: MayOwn = () => true): boolean => {
  const { spec } = owner.object as { readonly spec?: { readonly selector?: LabelSelector } };
  return (
    claimChild(owner.object, spec?.selector, child.object) === 'adopt' && mayOwn(owner.object, child.object)
  );
};

const secondsOf = (ms: number): number => Math.min(MOST_SECONDS, Math.max(1, Math.ceil(ms / 1000)));

/** The message that follows from the last look, if one does. */
const nextMessage = (
  { clock }: OwnerReconcileDeps,
  message: OwnerMessage,
  last: OwnerLook,
): OutgoingMessage | undefined => {
  const { attempt = 0, isWakeUp = false, adopts: _adopts, ...bare } = message;
  // The look that writes the status sends the wake-up, and a wake-up that came too early is sent again.
  const isOwed = last.isStatusWritten || isWakeUp || last.isAlwaysWoken === true;
  const body = { ...bare, ...(isOwed ? { isWakeUp: true } : {}) };
  if (last.hasMore) return { body };
  if (last.failure !== undefined)
    return { body: { ...body, attempt: attempt + 1 }, delaySeconds: secondsOf(backOff(RETRY, attempt)) };
  if (last.wakeAt === undefined || !isOwed) return undefined;
  return { body, delaySeconds: secondsOf(last.wakeAt - clock.now()) };
};

/**
 * The second look: a change that has sent this message may not yet show in the summaries of edges, and nothing else would tell of it. Where
 * reads do not lag, there is none.
 */
const secondLook = (
  { readsSummaries }: Pick<OwnerKind<never, never>, 'readsSummaries'>,
  { objects }: OwnerReconcileDeps,
  message: OwnerMessage,
): readonly OutgoingMessage[] => {
  const { tableMs } = objects.lag;
  if (!readsSummaries || tableMs === 0 || message.isSecond || message.isWakeUp) return [];
  const { v, kind, namespace, name, uid } = message;
  return [{ body: { v, kind, namespace, name, uid, isSecond: true }, delaySeconds: secondsOf(tableMs) }];
};

/** Handles the messages of a kind of owner. The result rejects if a read or write fails; the message is then delivered again. */
export const createOwnerReconcile = <Deps extends OwnerReconcileDeps, Look extends OwnerLook>(
  kind: OwnerKind<Deps, Look>,
) => {
  const namedBy = ({ namespace, name, uid }: OwnerMessage): Named => ({
    key: { resource: kind.owners, namespace, name },
    uid,
  });

  /** The children of the namespace that a new owner may adopt. One that becomes adoptable later sends a message itself. */
  const adoptable = async (deps: Deps, message: OwnerMessage): Promise<readonly Named[]> => {
    if (!message.adopts) return [];
    const { key, uid } = namedBy(message);
    const owner = await readLive(deps, { key, uid });
    if (!owner) return [];
    const found: Named[] = [];
    for await (const child of rowsIn(deps.objects, kind.children, key.namespace))
      if (isAdoptable(owner, child, kind.mayOwn)) found.push({ key: child.key, uid: child.uid });
    return found;
  };

  /** `offer`: the message by which the candidates came; a run that has the turn does not know of them. */
  const reconcileOwner = async (
    deps: Deps,
    message: OwnerMessage,
    candidates: readonly Named[],
    offer: WorkloadMessage = message,
  ): Promise<readonly Look[]> => {
    const owner = namedBy(message);
    const work = await workForOwner(deps, owner.uid, (turn) => kind.look(deps, owner, candidates, turn));
    const { reports, isLeftToOther, againSeconds } = work;
    const last = reports.at(-1);
    const next = last && nextMessage(deps, message, last);
    const messages: OutgoingMessage[] = [...secondLook(kind, deps, message), ...(next ? [next] : [])];
    if (isLeftToOther && candidates.length > 0)
      messages.push({ body: offer, delaySeconds: OFFER_AGAIN_SECONDS });
    else if (againSeconds !== undefined) messages.push({ body: message, delaySeconds: againSeconds });
    if (messages.length > 0) await deps.queues.send(kind.queue, messages);
    return reports;
  };

  /** Looks at the owner of a child, or offers a child without controller to the first owner of its namespace that selects it. */
  const reconcileOrphan = async (deps: Deps, offer: OfferMessage): Promise<readonly Look[]> => {
    const { namespace, name, uid } = offer;
    const child = await readLive(deps, { key: { resource: kind.children, namespace, name }, uid });
    if (!child) return [];
    const controller = controllerOf(child.object);
    if (controller)
      return reconcileOwner(
        deps,
        { ...offer, kind: 'owner', name: controller.name, uid: controller.uid },
        [],
      );
    for await (const owner of rowsIn(deps.objects, kind.owners, namespace)) {
      if (!isAdoptable(owner, child, kind.mayOwn)) continue;
      const message: OwnerMessage = { v: 1, kind: 'owner', namespace, name: owner.key.name, uid: owner.uid };
      return reconcileOwner(deps, message, [child], offer);
    }
    return [];
  };

  return async (deps: Deps, message: WorkloadMessage): Promise<readonly Look[]> => {
    if (!(await areEdgesComplete(deps.ownerEdges))) {
      await deps.queues.send(kind.queue, [{ body: message, delaySeconds: EDGES_SECONDS }]);
      return [];
    }
    return message.kind === 'orphan'
      ? reconcileOrphan(deps, message)
      : reconcileOwner(deps, message, await adoptable(deps, message));
  };
};
