/** Looks at one object: keeps it, cuts references to owners that are gone, or deletes it. */
import { conflict } from '../../../shared/kube/errors/status-error.ts';
import type { OwnerReference } from '../../../shared/kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { collected, IMMORTAL_NAMESPACES } from '../../../shared/rules/owners/collect.ts';
import { decideGarbage, type GarbageDecision, withoutOwners } from '../../../shared/rules/owners/garbage.ts';
import { isNamespacedOwner, placeOfOwner } from '../../../shared/rules/owners/stored-kinds.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { readLive } from '../../../shared/store/writer/dependents.ts';
import type { ObjectWrite } from '../../../shared/store/writer/object-writer.ts';
import { type CollectorDeps, type CollectorReport, NOTHING_DONE } from '../deps.ts';
import { invalidNamespace } from './events.ts';
import { checksOf, type JudgedOwner, judgeOwners, type ReadRow } from './owners.ts';

/** Attempts for one object: each but the last found that object or owners had changed since they were read. */
const ATTEMPTS = 10;

interface Judgement {
  readonly row: LiveRow;
  readonly owners: readonly JudgedOwner[];
  readonly decision: Exclude<GarbageDecision, { action: 'keep' }>;
}

/** Namespaces in which an owner is looked for: an object that nobody owns is rare, and each costs a read. */
const MOST_NAMESPACES = 100;
const READS_AT_ONCE = 8;
/** They exist before anybody has stored them. */
const BUILT_IN = [...IMMORTAL_NAMESPACES, NODE_LEASE_NAMESPACE];

const hasDependents = async ({ ownerEdges }: CollectorDeps, owner: string): Promise<boolean> =>
  (await ownerEdges.dependents({ owner, limit: 1 })).dependents.length > 0;

const isInAnotherNamespace = async (
  { objects }: CollectorDeps,
  owner: OwnerReference,
  own: string,
): Promise<boolean> => {
  const { rows } = await objects.page({ resource: 'namespaces', namespace: '', limit: MOST_NAMESPACES });
  const others = new Set([...BUILT_IN, ...rows.map(({ key }) => key.name)]);
  others.delete(own);
  const found = await inParallel([...others], READS_AT_ONCE, async (namespace) => {
    const place = placeOfOwner(owner, namespace);
    return place && liveRow(await objects.read(place))?.uid === owner.uid;
  });
  return found.includes(true);
};

/** Whether the place of the owner shows that it was there, so that it need not be looked for elsewhere. */
const wasHere = (owners: readonly JudgedOwner[], uid: string): boolean =>
  owners.some((owner) => owner.uid === uid && (owner.state !== 'dangling' || owner.found?.uid === uid));

/** Records an Event for each owner that lives in another namespace than the object, where it cannot be its owner. */
const reportForeignOwners = async (
  deps: CollectorDeps,
  { key, uid, object }: LiveRow,
  owners: readonly JudgedOwner[],
): Promise<void> => {
  for (const owner of object.metadata.ownerReferences ?? []) {
    if (!isNamespacedOwner(owner) || (key.namespace !== '' && wasHere(owners, owner.uid))) continue;
    if (!(await isInAnotherNamespace(deps, owner, key.namespace))) continue;
    const { kind, apiVersion } = object;
    const target = { kind, apiVersion, namespace: key.namespace, name: key.name, uid };
    await deps.recorder.record(target, invalidNamespace(owner, key.namespace), owner.uid);
  }
};

/** `undefined`: the object is gone or stays as it is. */
const judge = async (
  deps: CollectorDeps,
  key: ObjectKey,
  uid: string,
  read: ReadRow,
): Promise<Judgement | undefined> => {
  const row = await readLive(deps, { key, uid });
  if (!row || (row.object.metadata.ownerReferences ?? []).length === 0) return undefined;
  const owners = await judgeOwners(read, row);
  const states = new Map(owners.map((owner) => [owner.uid, owner.state]));
  const isWaitedFor = owners.some(({ state }) => state === 'waiting');
  const decision = decideGarbage(row.object, states, isWaitedFor && (await hasDependents(deps, uid)));
  if (decision.action !== 'keep') return { row, owners, decision };
  // An owner with a namespace cannot own it. It counts as solid, so this is the only place where anybody learns of it.
  if (key.namespace === '') await reportForeignOwners(deps, row, owners);
  return undefined;
};

const writeOf = ({ row, owners, decision }: Judgement, now: EpochMs): ObjectWrite | undefined => {
  const { key, object } = row;
  const given = { writer: 'controller', rows: checksOf(key, owners) } as const;
  if (decision.action === 'cut') return { next: withoutOwners(object, decision.owners), ...given };
  const next = collected(key.resource, object, decision.policy, now);
  return next && { ...next, ...given };
};

/** Resolves to whether it was written; `again`: something has changed since it was read. */
const carryOut = async (
  { writer }: CollectorDeps,
  judgement: Judgement,
): Promise<'written' | 'kept' | 'again'> => {
  const { row } = judgement;
  let isStale = false;
  const result = await writer.write(
    row.key,
    (found, now) => {
      isStale = liveRow(found)?.revision !== row.revision;
      return isStale ? undefined : writeOf(judgement, now);
    },
    row,
  );
  if (result.outcome === 'written') return 'written';
  return result.outcome === 'checkFailed' || isStale ? 'again' : 'kept';
};

/**
 * Looks at an object with this uid. Its first look may use rows of owners that `read` remembers; conditions of the write refuse them where
 * they are old. Throws 409 if object or owners change all the time.
 */
export const collectObject = async (
  deps: CollectorDeps,
  key: ObjectKey,
  uid: string,
  read: ReadRow,
): Promise<CollectorReport> => {
  for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
    const judgement = await judge(deps, key, uid, tries === 1 ? read : deps.objects.read);
    if (!judgement) return NOTHING_DONE;
    const outcome = await carryOut(deps, judgement);
    if (outcome === 'again') continue;
    if (outcome === 'kept') return NOTHING_DONE;
    await reportForeignOwners(deps, judgement.row, judgement.owners);
    const isCut = judgement.decision.action === 'cut';
    return { ...NOTHING_DONE, ...(isCut ? { cut: 1 } : { deleted: 1 }) };
  }
  throw conflict({ resource: key.resource, name: key.name });
};
