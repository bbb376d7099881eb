/** coordination.k8s.io/v1 Leases in the heartbeat store: a renewal is one conditional write and no read. */

import { checkNamespace } from '../../kinds/admission/namespaces.ts';
import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { validateLease } from '../../kinds/cluster/validate-lease.ts';
import { checkName, generateName, inNamespace } from '../../kinds/contract/names.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import { invalidObject } from '../../kube/errors/field-error.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  hasReason,
  notFound,
  type StatusError,
} from '../../kube/errors/status-error.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import type { ObjectMeta } from '../../kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE, WORK_REVISION_HEADER } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { HeartbeatItem, LeaseKey, LeaseWrite } from '../../ports/store/heartbeats.ts';
import { readObject } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { created, ok } from '../contract/http.ts';
import { readVersion } from '../request/list-options.ts';
import { isDryRun } from '../request/options.ts';
import { versionMissing } from '../request/version-missing.ts';
import { heartbeatExpiry } from './expiry.ts';
import { remakeItem } from './heartbeats.ts';
import { LEASE_KIND, LEASE_SCHEMA, leaseOf, storedLease, withoutElection } from './lease-object.ts';

type Deps = HeartbeatServerDeps;

const keyOf = ({ info }: Call, name = info.name): LeaseKey => ({ namespace: info.namespace, name });

/** The Lease in the body of a call. Throws 400, 413 and 415. */
export const readLease = (call: Call): Lease =>
  withoutElection(
    inNamespace(readObject<Lease>(call.request, LEASE_KIND, LEASE_SCHEMA), call.info.namespace),
  );

/** Throws 422 for an invalid Lease, and 403 for a node that writes another node's Lease. */
export const checkLease = ({ user }: Call, lease: Lease): void => {
  const self = nodeNameOf(user);
  const { name } = lease.metadata;
  if (self !== undefined && name !== self)
    throw forbidden(
      { resource: LEASE_KIND.resource, group: LEASE_KIND.group, name },
      'can only access node lease with the same name as the requesting node',
    );
  const errors = validateLease(lease);
  if (errors.length > 0) throw invalidObject(LEASE_KIND, name, errors);
};

/** The resourceVersion of a Lease as a number; `undefined` when the client sent none. Throws 400. */
export const versionOf = ({ resourceVersion: version }: ObjectMeta): number | undefined => {
  if (!version || version === '0') return undefined;
  if (/^\d+$/.test(version)) return Number(version);
  throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
};

/** The write of a Lease; `expected`: the version that the client sent. */
export const writeOf = (
  call: Call,
  lease: Lease,
  expected: number | undefined,
  deps: Pick<Deps, 'clock' | 'ids' | 'config'>,
): LeaseWrite => {
  const at = deps.clock.now();
  const isOfRollCall = call.info.namespace === NODE_LEASE_NAMESPACE;
  const isNodeLease = isOfRollCall && nodeNameOf(call.user) !== undefined;
  return {
    key: keyOf(call, lease.metadata.name),
    lease: storedLease(lease, deps.ids, at),
    at,
    ...optional('expected', expected),
    ...(isNodeLease && call.user.nodeUid !== undefined ? { nodeUid: call.user.nodeUid } : {}),
    // Other Leases, such as those of leader elections, exist until they are deleted.
    ...(isOfRollCall ? { expiresAt: heartbeatExpiry(at, deps) } : {}),
  };
};

/** The write of a renewal like `like`, which has another instant and follows the version `expected`. */
export const renewalOf = (
  like: LeaseWrite,
  renewTime: string,
  expected: number,
  deps: Pick<Deps, 'clock' | 'config'>,
): LeaseWrite => {
  const at = deps.clock.now();
  return {
    ...like,
    at,
    expected,
    lease: { ...like.lease, spec: { ...like.lease.spec, renewTime } },
    ...(like.expiresAt === undefined ? {} : { expiresAt: heartbeatExpiry(at, deps) }),
  };
};

/**
 * Creates the heartbeat item again if it expired although its Node exists. Throws 401 when the token's Node is
 * gone.
 */
const readmit = async (
  { user }: Call,
  { key, at, nodeUid, expiresAt }: LeaseWrite,
  deps: Deps,
): Promise<void> => {
  const uid = nodeUid === undefined ? {} : { uid: nodeUid };
  try {
    const beat = { node: key.name, source: 'plain', at, ...uid } as const;
    await remakeItem({ ...beat, expiresAt: expiresAt ?? heartbeatExpiry(at, deps) }, deps);
  } catch (error) {
    if (hasReason(error, 'NotFound')) checkNodeToken(user, undefined);
    throw error;
  }
};

const store = async (call: Call, write: LeaseWrite, deps: Deps) => {
  const outcome = await deps.heartbeats.writeLease(write);
  if (outcome.outcome !== 'foreign') return outcome;
  await readmit(call, write, deps);
  return deps.heartbeats.writeLease(write);
};

/** Writes of a new Lease: each but the last found that its namespace had changed since it was read. */
const CREATE_TRIES = 5;

/** Stores a new Lease in a namespace that takes new objects. Throws 403 and 404. */
const storeNew = async (call: Call, lease: Lease, deps: Deps, tries = 1) => {
  const { name } = lease.metadata;
  const namespace = await checkNamespace(call.info, name, deps.objects);
  const write = { ...writeOf(call, lease, undefined, deps), ...(namespace ? { namespace } : {}) };
  const outcome = await store(call, write, deps);
  if (outcome.outcome !== 'namespaceChanged' || tries >= CREATE_TRIES) return outcome;
  return storeNew(call, lease, deps, tries + 1);
};

const stored = (item: HeartbeatItem): Lease => {
  const lease = leaseOf(item);
  if (!lease) throw new Error('a stored Lease has no item');
  return lease;
};

/**
 * The answer to a read or a write of a Lease. That of a node's says in a header what the answer to a heartbeat says, so that one request keeps
 * a node alive and announces its work.
 */
export const leaseAnswer = (status: 200 | 201, item: HeartbeatItem): Answer => {
  const { uid, workRevision = 0 } = item;
  const headers = uid === undefined ? {} : { headers: { [WORK_REVISION_HEADER]: String(workRevision) } };
  return { status, ...headers, body: stored(item) };
};

const named = (lease: Lease, { ids }: Deps): Lease => {
  const { name, resourceVersion, uid: _uid, creationTimestamp: _created, ...rest } = lease.metadata;
  const { generateName: prefix } = rest;
  if (resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  return { ...lease, metadata: { ...rest, name: name || (prefix ? generateName(prefix, ids) : '') } };
};

/** POST to a collection of Leases. Throws 400, 403, 404, 409 and 422. */
export const createLease: Handle<Deps> = async (call, deps) => {
  const dryRun = isDryRun(call.request, 'CreateOptions');
  const lease = named(readLease(call), deps);
  checkLease(call, lease);
  const { name } = lease.metadata;
  if (dryRun) {
    await checkNamespace(call.info, name, deps.objects);
    const { uid } = storedLease(lease, deps.ids, deps.clock.now());
    return created({ ...lease, metadata: { ...lease.metadata, uid } });
  }
  const outcome = await storeNew(call, lease, deps);
  if (outcome.outcome === 'stored') return leaseAnswer(201, outcome.item);
  throw outcome.outcome === 'conflict'
    ? alreadyExists(subjectOf(call, name))
    : conflict(subjectOf(call, name));
};

// The error of a PUT whose uid is not that of a stored Lease: 422 if one exists and the PUT has no version, else 409.
const namedByUid = async (call: Call, { metadata }: Lease, { heartbeats }: Deps): Promise<StatusError> => {
  const isThere = (await heartbeats.read(keyOf(call)))?.lease !== undefined;
  return isThere && versionOf(metadata) === undefined ? versionMissing(call.info) : conflict(subjectOf(call));
};

/** Creates the Lease that a PUT or an apply did not find. */
export const createByPut = async (call: Call, lease: Lease, deps: Deps): Promise<Answer> => {
  const { uid, creationTimestamp: _created, ...metadata } = lease.metadata;
  if (uid !== undefined) {
    await checkNamespace(call.info, call.info.name, deps.objects);
    throw await namedByUid(call, lease, deps);
  }
  const outcome = await storeNew(call, { ...lease, metadata }, deps);
  if (outcome.outcome === 'stored') return leaseAnswer(201, outcome.item);
  throw versionOf(metadata) === undefined ? versionMissing(call.info) : conflict(subjectOf(call));
};

/** The answer to a dry-run PUT: the Lease as it would be stored. Throws 409, and 422 without a version. */
const triedReplacement = async (call: Call, lease: Lease, deps: Deps): Promise<Answer> => {
  const item = await deps.heartbeats.read(keyOf(call));
  const there = item && leaseOf(item);
  if (!there) {
    if (lease.metadata.uid !== undefined) throw conflict(subjectOf(call));
    return created(lease);
  }
  const expected = versionOf(lease.metadata);
  if (expected === undefined) throw versionMissing(call.info);
  if (expected !== item.version) throw conflict(subjectOf(call));
  const { uid = '', creationTimestamp = '' } = there.metadata;
  return ok({ ...lease, metadata: { ...lease.metadata, uid, creationTimestamp } });
};

/** PUT of a Lease: a renewal on condition of the client's version, or a creation if no Lease exists. */
export const replaceLease: Handle<Deps> = async (call, deps) => {
  const dryRun = isDryRun(call.request, 'UpdateOptions');
  const lease = readLease(call);
  checkName(lease, call.info.name);
  checkLease(call, lease);
  if (dryRun) return triedReplacement(call, lease, deps);
  const expected = versionOf(lease.metadata);
  if (expected === undefined) return createByPut(call, lease, deps);
  const outcome = await store(call, writeOf(call, lease, expected, deps), deps);
  if (outcome.outcome === 'stored') return leaseAnswer(200, outcome.item);
  if (outcome.outcome === 'absent') return createByPut(call, lease, deps);
  throw conflict(subjectOf(call));
};

/** The heartbeat item of a call's Lease. Throws 404. */
export const readStored = async (call: Call, { heartbeats }: Deps): Promise<HeartbeatItem> => {
  const item = await heartbeats.read(keyOf(call));
  if (!item?.lease) throw notFound(subjectOf(call));
  return item;
};

/** GET of a Lease. Throws 400 and 404. */
export const getLease: Handle<Deps> = async (call, deps) => {
  readVersion(call.request.query.get('resourceVersion') ?? '');
  return leaseAnswer(200, await readStored(call, deps));
};

/** Writes a Lease on condition of the version that was read. */
export const storeRead = async (call: Call, lease: Lease, version: number, deps: Deps) => {
  checkLease(call, lease);
  return store(call, writeOf(call, lease, version, deps), deps);
};
