/** Converts rows of the tables `objects` and `changes`. */

import { requestEntityTooLarge } from '../../../kube/errors/status-error.ts';
import type { Toleration } from '../../../kube/types/core.ts';
import type { ApiObject, ConditionStatus } from '../../../kube/types/meta.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { LogEntry, ObjectDiff, Slot, Tombstone } from '../../../ports/store/change-log.ts';
import type { Commit } from '../../../ports/store/commit.ts';
import type { TerminatedPod } from '../../../ports/store/object-store.ts';
import type { Facts, NodeFacts, ObjectKey, PodFacts, Row } from '../../../ports/store/rows.ts';
import type { NodeHealthRow } from '../../../rules/nodes/node-health.ts';
import type { ShutdownFacts } from '../../../rules/shutdown/shutdown-facts.ts';
import { logPartition, nameKey, objectPartition, resourceOfPartition, splitNameKey } from './keys.ts';
import {
  bytesOf,
  deflateJson,
  fromTtl,
  type InflateJson,
  type Item,
  inflateJson,
  numberOf,
  packFormerTaints,
  packId,
  packLosses,
  packNoExecute,
  requiredAttribute,
  textOf,
  toTtl,
  unpackFormerTaints,
  unpackId,
  unpackLosses,
  unpackNoExecute,
} from './packing.ts';
import { CHANGE, OBJECT } from './schema.ts';

/** An item may have 400 KB. The difference is for keys, facts and the other attributes of the log. */
const MAX_DEFLATED_BYTES = 380 * 1024;
const MARKER_RETENTION_MS = 24 * 3_600_000;
const CHANGE_RETENTION_MS = 3 * 3_600_000;
/** The only value of the partition key of the sparse index `unbound-pods`. */
export const UNBOUND = 1;

/** Throws 413 when object and reverse patch are more than 380 KB deflated. Call it before taking a revision. */
export const assertFits = (object: ApiObject, before: ObjectDiff | null): void => {
  const { length } = deflateJson({ object, before });
  if (length > MAX_DEFLATED_BYTES)
    throw requestEntityTooLarge(
      `the object is too large to store: ${length} bytes deflated, at most ${MAX_DEFLATED_BYTES}`,
    );
};

/** Primary key of an object's row. */
export const objectPrimaryKey = (key: ObjectKey) => ({
  [OBJECT.partition]: objectPartition(key),
  [OBJECT.sort]: nameKey(key),
});

const nodeAttributes = (facts: NodeFacts): Item => ({
  [OBJECT.createdAt]: facts.createdAt,
  [OBJECT.zone]: facts.zone,
  ...optional(OBJECT.ready, facts.ready),
  ...optional(OBJECT.readyTransitionAt, facts.readyTransitionAt),
  ...(facts.excludeDisruption ? { [OBJECT.excludeDisruption]: true } : {}),
  ...(facts.clientReady ? { [OBJECT.clientReady]: true } : {}),
  ...(facts.silenced ? { [OBJECT.silenced]: true } : {}),
  ...(facts.isClaimed ? { [OBJECT.isClaimed]: true } : {}),
  [OBJECT.noExecute]: packNoExecute(facts.noExecute),
  ...optional(OBJECT.formerNoExecute, packFormerTaints(facts.formerNoExecute)),
  ...optional(OBJECT.losses, packLosses(facts.losses)),
  ...optional(OBJECT.shutdown, facts.shutdown && JSON.stringify(facts.shutdown)),
});

const podAttributes = (facts: PodFacts): Item => ({
  ...(facts.nodeName === '' ? { [OBJECT.unbound]: UNBOUND } : { [OBJECT.nodeName]: facts.nodeName }),
  ...optional(OBJECT.boundAt, facts.boundAt),
  ...optional(OBJECT.toleratedAt, facts.toleratedAt),
  [OBJECT.tolerations]: JSON.stringify(facts.tolerations),
  ...optional(OBJECT.phase, facts.phase),
  ...optional(OBJECT.deletionTimestamp, facts.deletionTimestamp),
  ...optional(OBJECT.owner, facts.owner),
  ...optional(OBJECT.terminatedPlace, facts.terminatedPlace),
});

const factAttributes = ({ node, pod, hasEdges }: Facts): Item => ({
  ...(node ? nodeAttributes(node) : {}),
  ...(pod ? podAttributes(pod) : {}),
  ...(hasEdges ? { [OBJECT.hasEdges]: true } : {}),
});

/** The row that a commit writes: the object, or a marker. */
export const toObjectItem = ({ key, revision, uid, next, entry }: Commit): Item => {
  const row = { ...objectPrimaryKey(key), [OBJECT.revision]: revision };
  if (next === 'marker')
    return { ...row, [OBJECT.uid]: packId(uid), [OBJECT.expiresAt]: toTtl(entry.at + MARKER_RETENTION_MS) };
  return {
    ...row,
    [OBJECT.uid]: packId(next.uid),
    [OBJECT.body]: deflateJson(next.object),
    ...factAttributes(next.facts),
    ...(next.expiresAt === undefined ? {} : { [OBJECT.expiresAt]: toTtl(next.expiresAt) }),
  };
};

const conditionStatus = (text: string | undefined): ConditionStatus | undefined =>
  text === 'True' || text === 'False' || text === 'Unknown' ? text : undefined;

const shutdownFactsOf = (packed: string | undefined): ShutdownFacts | undefined =>
  packed === undefined ? undefined : JSON.parse(packed);

const nodeFactsOf = (item: Item): NodeFacts | undefined => {
  const createdAt = numberOf(item, OBJECT.createdAt);
  if (createdAt === undefined) return undefined;
  return {
    createdAt,
    zone: requiredAttribute(textOf(item, OBJECT.zone), OBJECT.zone),
    ...optional('ready', conditionStatus(textOf(item, OBJECT.ready))),
    ...optional('readyTransitionAt', numberOf(item, OBJECT.readyTransitionAt)),
    excludeDisruption: item[OBJECT.excludeDisruption] === true,
    clientReady: item[OBJECT.clientReady] === true,
    ...(item[OBJECT.silenced] === true ? { silenced: true } : {}),
    ...(item[OBJECT.isClaimed] === true ? { isClaimed: true } : {}),
    noExecute: unpackNoExecute(requiredAttribute(textOf(item, OBJECT.noExecute), OBJECT.noExecute)),
    ...optional('formerNoExecute', unpackFormerTaints(textOf(item, OBJECT.formerNoExecute))),
    ...optional('losses', unpackLosses(textOf(item, OBJECT.losses))),
    ...optional('shutdown', shutdownFactsOf(textOf(item, OBJECT.shutdown))),
  };
};

const podFactsOf = (item: Item): PodFacts | undefined => {
  const packed = textOf(item, OBJECT.tolerations);
  if (packed === undefined) return undefined;
  const tolerations: readonly Toleration[] = JSON.parse(packed);
  return {
    nodeName: textOf(item, OBJECT.nodeName) ?? '',
    ...optional('boundAt', numberOf(item, OBJECT.boundAt)),
    ...optional('toleratedAt', numberOf(item, OBJECT.toleratedAt)),
    tolerations,
    ...optional('phase', textOf(item, OBJECT.phase)),
    ...optional('deletionTimestamp', textOf(item, OBJECT.deletionTimestamp)),
    ...optional('owner', textOf(item, OBJECT.owner)),
    ...optional('terminatedPlace', textOf(item, OBJECT.terminatedPlace)),
  };
};

const factsOf = (item: Item): Facts => ({
  ...optional('node', nodeFactsOf(item)),
  ...optional('pod', podFactsOf(item)),
  ...(item[OBJECT.hasEdges] === true ? { hasEdges: true } : {}),
});

const objectKeyOf = (item: Item): ObjectKey => ({
  resource: resourceOfPartition(requiredAttribute(textOf(item, OBJECT.partition), OBJECT.partition)),
  ...splitNameKey(requiredAttribute(textOf(item, OBJECT.sort), OBJECT.sort)),
});

/**
 * Reads a row of `objects`, or its image in the stream; `inflate` parses its body. Throws if a mandatory attribute is
 * missing.
 */
export const fromObjectItem = (item: Item, inflate: InflateJson = inflateJson): Row => {
  const identity = {
    key: objectKeyOf(item),
    uid: unpackId(item[OBJECT.uid]),
    revision: requiredAttribute(numberOf(item, OBJECT.revision), OBJECT.revision),
  };
  const body = bytesOf(item, OBJECT.body);
  if (!body) return { state: 'marker', ...identity };
  const facts = factsOf(item);
  const expiresAt = numberOf(item, OBJECT.expiresAt);
  const expiry = expiresAt === undefined ? {} : { expiresAt: fromTtl(expiresAt) };
  return { state: 'live', ...identity, object: inflate(body) as ApiObject, facts, ...expiry };
};

/** Reads a row of the index `terminated-pods`. Throws if a mandatory attribute is missing. */
export const fromTerminatedItem = (item: Item): TerminatedPod => ({
  key: objectKeyOf(item),
  place: requiredAttribute(textOf(item, OBJECT.terminatedPlace), OBJECT.terminatedPlace),
});

/** Reads a row of the index `node-health`. Throws if a mandatory attribute is missing. */
export const fromNodeHealthItem = (item: Item): NodeHealthRow => ({
  name: objectKeyOf(item).name,
  uid: unpackId(item[OBJECT.uid]),
  ...requiredAttribute(nodeFactsOf(item), OBJECT.createdAt),
});

/** Primary key of the slot of a revision. */
export const changePrimaryKey = (resource: string, revision: number) => ({
  [CHANGE.partition]: logPartition(resource, revision),
  [CHANGE.sort]: revision,
});

const TYPE_LETTER = { ADDED: 'A', MODIFIED: 'M', DELETED: 'D' } as const;
const TYPE_OF_LETTER = new Map<string, LogEntry['type']>([
  ['A', 'ADDED'],
  ['M', 'MODIFIED'],
  ['D', 'DELETED'],
]);

const slotAttributes = (resource: string, { revision, attempt, at }: Slot): Item => ({
  ...changePrimaryKey(resource, revision),
  [CHANGE.attempt]: packId(attempt),
  [CHANGE.at]: at,
  [CHANGE.expiresAt]: toTtl(at + CHANGE_RETENTION_MS),
});

/** The row of a tombstone, which expires three hours after its instant. */
export const toTombstoneItem = (resource: string, tombstone: Tombstone): Item =>
  slotAttributes(resource, tombstone);

/** The row of a log entry, which expires three hours after its instant. */
export const toEntryItem = (entry: LogEntry): Item => ({
  ...slotAttributes(entry.key.resource, entry),
  [CHANGE.type]: TYPE_LETTER[entry.type],
  [CHANGE.key]: nameKey(entry.key),
  [CHANGE.body]: deflateJson({ object: entry.object, before: entry.before }),
  ...optional(CHANGE.objectExpiresAt, entry.expiresAt),
});

/** Reads a row of `changes`; `inflate` parses its body. Throws if a mandatory attribute is missing. */
export const fromChangeItem = (item: Item, inflate: InflateJson = inflateJson): Slot => {
  const filled = {
    revision: requiredAttribute(numberOf(item, CHANGE.sort), CHANGE.sort),
    attempt: unpackId(item[CHANGE.attempt]),
    at: requiredAttribute(numberOf(item, CHANGE.at), CHANGE.at),
  };
  const type = TYPE_OF_LETTER.get(textOf(item, CHANGE.type) ?? '');
  if (type === undefined) return { slot: 'tombstone', ...filled };
  const body = inflate(requiredAttribute(bytesOf(item, CHANGE.body), CHANGE.body));
  const { object, before } = body as Pick<LogEntry, 'object' | 'before'>;
  const resource = resourceOfPartition(requiredAttribute(textOf(item, CHANGE.partition), CHANGE.partition));
  const key = { resource, ...splitNameKey(requiredAttribute(textOf(item, CHANGE.key), CHANGE.key)) };
  const expiry = optional('expiresAt', numberOf(item, CHANGE.objectExpiresAt));
  return { slot: 'entry', ...filled, type, key, object, before, ...expiry };
};
