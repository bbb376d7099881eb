import { conflict, tooManyRequests } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { AddressChange } from '../../ports/store/addresses.ts';
import type { CapacityEffect } from '../../ports/store/capacity.ts';
import type { Commit, HeartbeatEffect, NoExecuteCheck, TokenUse } from '../../ports/store/commit.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { TurnCheck } from '../../ports/store/owner-turns.ts';
import type { Facts, LiveRow, ObjectKey, Row, RowCheck } from '../../ports/store/rows.ts';
import { liveRow } from '../../ports/store/rows.ts';
import type { Writer } from '../../rules/nodes/writer.ts';
import { type EdgeChange, edgeChange, edgesOf } from '../../rules/owners/owner-edges.ts';
import type { BindCondition } from '../../rules/scheduling/node-counters.ts';
import { DEFAULTS } from '../../settings/defaults.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { abandon, finishCommit } from '../commit/commit-protocol.ts';
import { unexpired } from '../commit/expired.ts';
import { nodeFacts, withDerivedFields } from '../commit/node-facts.ts';
import { sameJson } from '../commit/object-diff.ts';
import { checkObjectSize } from '../commit/object-size.ts';
import type { Planned } from '../commit/planned-commit.ts';
import { commitOf, stamped } from '../commit/planned-commit.ts';
import { podFacts } from '../commit/pod-facts.ts';
import { createRevisions } from '../commit/revisions.ts';
import { createPatience } from '../turns/retry-budget.ts';
import type { AddressEffects } from './address-effects.ts';
import type { CapacityEffects } from './capacity-effects.ts';
import { refusedBirth } from './namespace-guard.ts';
import { nodeBirth } from './node-birth.ts';

/** Milliseconds after which a write is given up if each attempt had a conflict. */
const GIVE_UP_MS = 4_000;
const RETRY: BackOffDelays = { firstMs: 10, mostMs: 200 };

/** The book of holds by which a write was decided that destroys something. */
export interface DecidedBy {
  readonly epoch: number;
  /** Called if the revision that was taken comes with a later epoch: the write is then decided anew. Rejects if the later book cannot be read. */
  readonly outdated: (epoch: number) => Promise<unknown>;
}

/** The write that a `Decide` function asks for. */
export interface ObjectWrite {
  readonly next: ApiObject | 'delete';
  /**
   * With `delete`: the last state of the object, if it differs from the stored one. Watchers get it as MODIFIED just before
   * DELETED; one commit stores both entries.
   */
  readonly lastState?: ApiObject;
  /** Who writes: once a client has written a node's Ready condition, the control plane no longer sets it to True. */
  readonly writer: Writer;
  readonly heartbeat?: HeartbeatEffect;
  readonly check?: NoExecuteCheck;
  /** Conditions on rows of other objects, each about another row. If one fails, the outcome is `checkFailed`. */
  readonly rows?: readonly RowCheck[];
  /** For a bind: the node must have room. Only for a writer with `capacityEffects`. */
  readonly within?: BindCondition;
  /** For a child of an owner: the run's turn. Once another run has taken over, the write ends with `checkFailed`. */
  readonly turn?: TurnCheck;
  /** Blocks of addresses that change in the same transaction. Absent: what follows from the object, see `addressEffects`. */
  readonly addresses?: readonly AddressChange[];
  /** A use of a token that this write needs; without one that is left the outcome is `checkFailed`. */
  readonly tokenUse?: TokenUse;
  /** When the object itself expires (ms), for Events. */
  readonly expiresAt?: EpochMs;
  /** For what holds can stop, from `DestroyingWriter`. */
  readonly decidedBy?: DecidedBy;
}

/**
 * Decides what to write. It is called with the current row (`undefined` if there is none or it has expired) and our clock (ms),
 * and again after each conflict. Returns `undefined` to write nothing. May throw a `StatusError`, which ends the write.
 */
export type Decide = (row: Row | undefined, now: EpochMs) => ObjectWrite | undefined;

/** The result of a write. `unchanged`: there was nothing to write. */
export type WriteResult =
  | { readonly outcome: 'written'; readonly object: ApiObject; readonly facts: Facts }
  | { readonly outcome: 'unchanged'; readonly row: Row | undefined }
  /** The condition on the heartbeat item, on the checked node, its room, its addresses, other rows or the turn failed: read again and decide again. */
  | { readonly outcome: 'checkFailed' };

/** Writes single objects with optimistic concurrency. */
export interface ObjectWriter {
  /**
   * Reads the row, decides, takes a revision and commits. Throws 409 `Conflict` or 429 `TooManyRequests` if every attempt fails
   * for four seconds, 413 for an object that is too large, and 403 or 404 for a new object in a namespace that is being deleted or gone. With `seen`, a row that the caller has read, or `absent` where
   * there is hardly ever one, the first attempt skips the read; if the row is another one, that attempt ends in a conflict.
   */
  write(key: ObjectKey, decide: Decide, seen?: Row | 'absent'): Promise<WriteResult>;
}

/** What the object writer needs. */
export interface ObjectWriterDeps extends CommitDeps {
  readonly heartbeats: HeartbeatStore;
  /** `false` turns off the taints that follow from conditions and mirrored labels (`controllers: none`). */
  readonly derivesNodeFields?: boolean;
  /** Keeps claims and counters of nodes, from `createCapacityEffects`. Absent: they are not kept. */
  readonly capacityEffects?: CapacityEffects;
  /** Stores who holds the podCIDRs that are written, from `createAddressEffects`. Absent: it is not stored. */
  readonly addressEffects?: AddressEffects;
  /** Milliseconds for which a heartbeat item outlives its last beat; absent: the default. */
  readonly heartbeatRetentionMs?: number;
}

const settled = (
  deps: ObjectWriterDeps,
  key: ObjectKey,
  object: ApiObject,
  before: ApiObject | undefined,
  now: EpochMs,
): ApiObject =>
  key.resource === 'nodes' && deps.derivesNodeFields !== false
    ? withDerivedFields(object, before, now)
    : object;

const factsOf = (
  key: ObjectKey,
  object: ApiObject,
  before: LiveRow | undefined,
  { writer }: ObjectWrite,
  now: EpochMs,
): Facts => {
  const owned = edgesOf(key.resource, object).size > 0 ? { hasEdges: true as const } : {};
  if (key.resource === 'pods') return { pod: podFacts(object as Pod, before?.facts.pod, now), ...owned };
  if (key.resource !== 'nodes') return owned;
  const was = before?.facts.node && { node: before.object, facts: before.facts.node };
  return { node: nodeFacts(object, was, writer, now), ...owned };
};

const planDeletion = ({ object, facts }: LiveRow, lastState: ApiObject | undefined): Planned =>
  lastState && !sameJson(lastState, object)
    ? { object: lastState, next: 'marker', facts, isSeenBefore: true }
    : { object, next: 'marker', facts };

const plan = (
  deps: ObjectWriterDeps,
  row: LiveRow | undefined,
  key: ObjectKey,
  change: ObjectWrite,
  now: EpochMs,
): Planned | undefined => {
  if (change.next === 'delete') return row && planDeletion(row, change.lastState);
  const object = settled(deps, key, change.next, row?.object, now);
  const facts = factsOf(key, object, row, change, now);
  if (row && sameJson(stamped(object, row.revision), row.object) && sameJson(facts, row.facts))
    return undefined;
  checkObjectSize(object, row?.object);
  const expiry = change.expiresAt === undefined ? {} : { expiresAt: change.expiresAt };
  return { object, facts, next: { uid: object.metadata.uid ?? '', object, facts, ...expiry } };
};

const nodeEffect = async (
  deps: ObjectWriterDeps,
  row: LiveRow | undefined,
  planned: Planned,
  now: EpochMs,
): Promise<HeartbeatEffect | undefined> => {
  const expiresAt = now + (deps.heartbeatRetentionMs ?? DEFAULTS.heartbeatRetentionMs);
  if (planned.next !== 'marker') return row ? undefined : nodeBirth(planned.object, now, expiresAt);
  const node = planned.object.metadata.name;
  const item = await deps.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name: node });
  return { effect: 'retire', node, version: Math.max(now, (item?.version ?? 0) + 1), expiresAt };
};

const capacityEffect = async (
  { capacityEffects }: ObjectWriterDeps,
  key: ObjectKey,
  row: LiveRow | undefined,
  { object, next }: Planned,
  { within }: ObjectWrite,
  now: EpochMs,
): Promise<CapacityEffect | undefined> => {
  const after = next === 'marker' ? undefined : object;
  const effect = await capacityEffects?.({ key, before: row?.object, after }, now);
  if (!within) return effect;
  if (!effect) throw new Error('a bind with a condition needs a writer that keeps claims');
  return { ...effect, within };
};

const edgesAfter = (
  { resource }: ObjectKey,
  row: LiveRow | undefined,
  { object, next }: Planned,
): EdgeChange | undefined => {
  const before = row && { object: row.object, hasEdges: row.facts.hasEdges === true };
  return edgeChange(resource, before, next === 'marker' ? undefined : object);
};

const addressChanges = (
  { addressEffects }: ObjectWriterDeps,
  key: ObjectKey,
  row: LiveRow | undefined,
  { object, next }: Planned,
  { addresses }: ObjectWrite,
): Pick<Commit, 'addresses'> => {
  const after = next === 'marker' ? undefined : object;
  const changes = addresses ?? addressEffects?.({ key, before: row?.object, after }) ?? [];
  return changes.length === 0 ? {} : { addresses: changes };
};

type Extras = Pick<
  Commit,
  'heartbeat' | 'check' | 'capacity' | 'addresses' | 'rows' | 'edges' | 'turn' | 'tokenUse'
>;

/** Whether a failed check goes to nobody, because the writer itself has added it: the next attempt reads anew what it is about. */
const isOwnCheck = ({ heartbeat, capacity, turn, tokenUse }: Extras): boolean =>
  turn === undefined &&
  tokenUse === undefined &&
  (heartbeat?.effect === 'retire' ||
    (capacity !== undefined && !capacity.within && capacity.claims.length > 0));

const extras = async (
  deps: ObjectWriterDeps,
  key: ObjectKey,
  row: LiveRow | undefined,
  planned: Planned,
  change: ObjectWrite,
  now: EpochMs,
): Promise<Extras> => {
  const own = key.resource === 'nodes' ? await nodeEffect(deps, row, planned, now) : undefined;
  const heartbeat = own ?? change.heartbeat;
  const capacity = await capacityEffect(deps, key, row, planned, change, now);
  const edges = edgesAfter(key, row, planned);
  return {
    ...optional('heartbeat', heartbeat),
    ...optional('check', change.check),
    ...optional('rows', change.rows),
    ...optional('capacity', capacity),
    ...optional('edges', edges),
    ...optional('turn', change.turn),
    ...optional('tokenUse', change.tokenUse),
    ...addressChanges(deps, key, row, planned, change),
  };
};

const rowSeen = (seen: Row | 'absent'): Row | undefined => (seen === 'absent' ? undefined : seen);

/** Throws if the namespace of a new object does not let it in. */
const admitBirth = async (deps: ObjectWriterDeps, commit: Commit): Promise<void> => {
  const refusal = await refusedBirth(deps.objects, commit.key, commit.entry.object);
  if (!refusal) return;
  await abandon(deps, commit);
  throw refusal;
};

/** Whether the write destroys something by a book of holds that has changed since: then its revision is given up. */
const isOutdated = async (
  deps: ObjectWriterDeps,
  commit: Commit,
  { decidedBy }: ObjectWrite,
  epoch: number,
): Promise<boolean> => {
  if (!decidedBy || decidedBy.epoch >= epoch) return false;
  await abandon(deps, commit);
  await decidedBy.outdated(epoch);
  return true;
};

/** Creates the writer through which every change of an object goes. */
export const createObjectWriter = (deps: ObjectWriterDeps): ObjectWriter => {
  const revisions = createRevisions(deps);

  const attempt = async (
    key: ObjectKey,
    decide: Decide,
    stored: Row | undefined,
  ): Promise<WriteResult | 'again'> => {
    const now = deps.clock.now();
    const row = unexpired(stored, now);
    const change = decide(row, now);
    const planned = change && plan(deps, liveRow(row), key, change, now);
    if (!change || !planned) return { outcome: 'unchanged', row };
    const more = await extras(deps, key, liveRow(row), planned, change, now);
    const { highest, holdEpoch } = await revisions.take(key.resource, planned.isSeenBefore ? 2 : 1);
    const numbered = {
      revision: highest,
      attempt: deps.ids.uuid(),
      at: deps.clock.now(),
    };
    const commit = { ...commitOf(key, { stored, row }, planned, numbered), ...more };
    if (await isOutdated(deps, commit, change, holdEpoch)) return 'again';
    if (!liveRow(row)) await admitBirth(deps, commit);
    const fate = await finishCommit(deps, commit);
    if (fate === 'committed')
      return { outcome: 'written', object: commit.entry.object, facts: planned.facts };
    return fate === 'checkFailed' && !isOwnCheck(more) ? { outcome: 'checkFailed' } : 'again';
  };

  return {
    write: async (key, decide, seen) => {
      const isOver = createPatience(deps.clock, GIVE_UP_MS);
      // If what the caller has seen is old, the row is read at once.
      const first = seen ? await attempt(key, decide, rowSeen(seen)) : 'again';
      if (first !== 'again') return first;
      for (let tries = 1; ; tries += 1) {
        const result = await attempt(key, decide, await deps.objects.read(key));
        if (result !== 'again') return result;
        if (isOver()) throw gaveUp(key, tries);
        await deps.clock.sleep(deps.ids.random() * backOff(RETRY, tries - 1));
      }
    },
  };
};

const gaveUp = (key: ObjectKey, tries: number): Error =>
  tries > 3
    ? conflict({ resource: key.resource, name: key.name })
    : tooManyRequests(`too many writes to ${key.resource} right now; try again in a second`);
