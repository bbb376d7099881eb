/** Verbs of Leases other than renewals: patch, delete, list. */
import { checkName, inNamespace } from '../../kinds/contract/names.ts';
import { badRequest, conflict, hasReason } from '../../kube/errors/status-error.ts';
import { mergeTyped } from '../../kube/managed-fields/typed-merge.ts';
import { DecodeError } from '../../kube/schema/decode.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import { readConfiguration } from '../body/apply-body.ts';
import { decodeObject } from '../body/body.ts';
import { type PatchType, patchedObject, patchTypeOf } from '../body/patches.ts';
import { type Call, type Handle, subjectOf } from '../contract/call.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import { type Answer, created, ok } from '../contract/http.ts';
import { begunAtOf } from '../request/continue.ts';
import { checkNotOlder, type ListOptions, readListOptions } from '../request/list-options.ts';
import { readDeleteOptions } from '../request/options.ts';
import { readPatchOptions } from '../request/patch-options.ts';
import { checkPreconditions, deletedStatus } from '../verbs/delete.ts';
import { deleteEach } from '../verbs/deletecollection.ts';
import { listOf } from '../verbs/list.ts';
import type { CutPage } from '../verbs/page.ts';
import { LEASE_KIND, LEASE_SCHEMA, leaseOf, withoutElection } from './lease-object.ts';
import { checkLease, createByPut, readStored, storeRead, versionOf } from './leases.ts';

type Deps = HeartbeatServerDeps;

const PATCH_TRIES = 5;
/**
 * Milliseconds by which a list's revision precedes its scan, so that a watch from it shows writes that the scan
 * missed.
 */
const SCAN_LAG_MS = 2_000;

const LEASE = { kind: LEASE_KIND, schema: LEASE_SCHEMA };

/** The Lease after a server-side apply. Leases have no managed fields, so nothing conflicts and no field is removed. */
const appliedLease = (call: Call, before: Lease | undefined): Lease => {
  const config = readConfiguration<Lease>(call.request, { kind: LEASE_KIND, schema: LEASE_SCHEMA });
  const merged = mergeTyped(before ?? {}, config, LEASE_SCHEMA);
  try {
    return inNamespace(decodeObject<Lease>(merged, LEASE_KIND, LEASE_SCHEMA), call.info.namespace);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`failed to convert new object: ${error.message}`);
  }
};

const patchStored = async (call: Call, type: PatchType, dryRun: boolean, deps: Deps): Promise<Answer> => {
  for (let tries = 1; ; tries += 1) {
    const item = await readStored(call, deps);
    const before = leaseOf(item) as Lease;
    const after = withoutElection(
      type === 'apply' ? appliedLease(call, before) : patchedObject(call.request, type, before, LEASE),
    );
    checkName(after, call.info.name);
    const given = versionOf(after.metadata);
    if (given !== undefined && given !== item.version) throw conflict(subjectOf(call));
    checkLease(call, after);
    if (dryRun) return ok(after);
    const outcome = await storeRead(call, after, item.version ?? 0, deps);
    if (outcome.outcome === 'stored') return ok(leaseOf(outcome.item) as Lease);
    if (tries >= PATCH_TRIES) throw conflict(subjectOf(call));
  }
};

/** PATCH of a Lease: a read and a write on condition of the version that was read. An apply creates a missing Lease. */
export const patchLease: Handle<Deps> = async (call, deps) => {
  const type = patchTypeOf(call.request);
  const { dryRun } = readPatchOptions(call.request, type);
  try {
    return await patchStored(call, type, dryRun, deps);
  } catch (error) {
    const isMissing = hasReason(error, 'NotFound');
    if (type !== 'apply' || !isMissing) throw error;
    const lease = withoutElection(appliedLease(call, undefined));
    checkName(lease, call.info.name);
    checkLease(call, lease);
    return dryRun ? created(lease) : createByPut(call, lease, deps);
  }
};

/** DELETE of a Lease; the node's heartbeats stay. */
export const deleteLease: Handle<Deps> = async (call, deps) => {
  const { preconditions, dryRun } = readDeleteOptions(call.request);
  const item = await readStored(call, deps);
  const lease = leaseOf(item) as Lease;
  checkPreconditions(preconditions, lease, LEASE_KIND.kind);
  const isConditional = preconditions.uid !== undefined || preconditions.resourceVersion !== undefined;
  const { namespace, name } = call.info;
  const outcome = dryRun
    ? undefined
    : await deps.heartbeats.deleteLease(
        { namespace, name },
        deps.clock.now(),
        isConditional ? item.version : undefined,
      );
  if (outcome?.outcome === 'conflict') throw conflict(subjectOf(call));
  return ok(deletedStatus(call, lease.metadata.uid));
};

const inScope = ({ info }: Call, { metadata }: Lease): boolean =>
  info.namespace === '' || metadata.namespace === info.namespace;

const pathOf = ({ metadata }: Lease): string => `${metadata.namespace ?? ''}/${metadata.name}`;

const scanned = async (
  call: Call,
  { matches }: ListOptions,
  { heartbeats }: Deps,
): Promise<readonly Lease[]> => {
  const leases: Lease[] = [];
  for await (const items of heartbeats.scan())
    for (const item of items.value) {
      const lease = leaseOf(item);
      if (lease && inScope(call, lease) && matches(lease)) leases.push(lease);
    }
  return leases.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
};

const cut = (leases: readonly Lease[], { limit, continueAt }: ListOptions, revision: number): CutPage => {
  const rest = continueAt ? leases.filter((lease) => pathOf(lease) > continueAt.after) : leases;
  const objects = rest.slice(0, limit ?? rest.length);
  const last = objects.at(-1);
  return last && objects.length < rest.length
    ? { revision, objects, next: { revision, after: pathOf(last) }, remaining: rest.length - objects.length }
    : { revision, objects };
};

const pageOf = async (call: Call, options: ListOptions, deps: Deps): Promise<CutPage> => {
  const revision = deps.clock.now() - SCAN_LAG_MS;
  const { remaining, ...page } = cut(await scanned(call, options, deps), options, revision);
  return remaining !== undefined && options.selectsAll ? { ...page, remaining } : page;
};

/** DELETE of a collection of Leases; answers with the deleted Leases. */
export const deleteLeases: Handle<Deps> = async (call, deps) => {
  const options = readListOptions(call.request.query, LEASE_KIND, () => ({}));
  const page = await pageOf(call, options, deps);
  await deleteEach(call, page.objects, (one) => deleteLease(one, deps));
  return ok(listOf(LEASE_KIND, page, begunAtOf(options, deps.clock.now())));
};

/** GET of a collection of Leases: one scan of the heartbeat store. */
export const listLeases: Handle<Deps> = async (call, deps) => {
  const options = readListOptions(call.request.query, LEASE_KIND, () => ({}));
  const page = await pageOf(call, options, deps);
  checkNotOlder(deps.clock.now(), options.notOlderThan);
  return ok(listOf(LEASE_KIND, page, begunAtOf(options, deps.clock.now())));
};
