/** What a Node knows of its maintenance, and what comes next for it. */

import { isObject } from '../../kube/json/json-object.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import { DRAIN_IN_PROGRESS, MAINTENANCE_IN_PROGRESS } from '../../kube/types/well-known.ts';
import { bootIdOf } from '../../kube/values/boot-id.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { MAINTENANCE_DONE_ANNOTATION } from './drain-annotations.ts';
import { isDrained } from './drain-progress.ts';
import type { DrainRequest } from './drain-request.ts';
import { withoutCondition, withTrueCondition } from './lifecycle-conditions.ts';
import { drainRequestOf, withDrainRequest, withoutDrainRequest } from './node-drain.ts';

/** The annotation of a Node with the last maintenance of it. */
export const MAINTENANCE_ANNOTATION = 'rollcall.dev/maintenance';

/** What the annotation of a Node says of its last maintenance. */
export interface MaintenanceRecord {
  /** Name of the NodeMaintenance, and start of its window. */
  readonly id: string;
  readonly phase: 'InProgress' | 'Done' | 'Failed';
  /** Of the machine when it began. */
  readonly bootID?: string;
  /** What went wrong. */
  readonly message?: string;
}

const MAX_MESSAGE = 256;

/** Names one window of one NodeMaintenance. It is also the id of the drains. */
export const maintenanceId = ({ metadata }: NodeMaintenance, startAt: EpochMs): string =>
  `maintenance/${metadata.name}/${new Date(startAt).toISOString()}`;

/** Whether the record is one of this NodeMaintenance, of any window. */
export const isOfMaintenance = ({ id }: MaintenanceRecord, name: string): boolean =>
  id.startsWith(`maintenance/${name}/`);

/** The name of the NodeMaintenance; `undefined` if the id is of another form. */
export const maintenanceNameOf = ({ id }: MaintenanceRecord): string | undefined =>
  /^maintenance\/([^/]+)\//.exec(id)?.[1];

const PHASES: readonly unknown[] = ['InProgress', 'Done', 'Failed'];

/** The last maintenance of a node. */
export const maintenanceOf = ({ metadata }: Node): MaintenanceRecord | undefined => {
  const text = ownMember(metadata.annotations, MAINTENANCE_ANNOTATION);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = isObject(value) && typeof value['id'] === 'string' && PHASES.includes(value['phase']);
    return isRecord ? (value as unknown as MaintenanceRecord) : undefined;
  } catch {
    return undefined;
  }
};

const withRecord = (node: Node, record: MaintenanceRecord): Node => ({
  ...node,
  metadata: withAnnotation(node.metadata, MAINTENANCE_ANNOTATION, JSON.stringify(record)),
});

/** The reason of the conditions that tell of maintenance. */
export const MAINTENANCE = 'Maintenance';

/** The node with the condition `MaintenanceInProgress` as its record says, at `now` (ms). The same object if it is right. */
export const withMaintenanceProgress = (node: Node, now: EpochMs): Node => {
  const record = maintenanceOf(node);
  if (record?.phase !== 'InProgress') return withoutCondition(node, MAINTENANCE_IN_PROGRESS, MAINTENANCE);
  const message = `NodeMaintenance ${maintenanceNameOf(record) ?? ''} maintains the node`;
  return withTrueCondition(node, { type: MAINTENANCE_IN_PROGRESS, reason: MAINTENANCE, message }, now);
};

/** The node at the begin of its maintenance: the drain is requested, the record made, and the condition set, in one write. */
export const withMaintenance = (node: Node, request: DrainRequest): Node => {
  const { [MAINTENANCE_DONE_ANNOTATION]: _, ...annotations } = node.metadata.annotations ?? {};
  const fresh = { ...node, metadata: { ...node.metadata, annotations } };
  const begun = withRecord(withDrainRequest(fresh, request), {
    id: request.id,
    phase: 'InProgress',
    bootID: bootIdOf(node),
  });
  return withMaintenanceProgress(begun, request.requestedAt);
};

/** The node at the end of its maintenance. `leavesCordoned`: the request goes, the cordon stays. */
export const withMaintenanceEnded = (
  node: Node,
  record: MaintenanceRecord,
  phase: 'Done' | 'Failed',
  leavesCordoned: boolean,
  message?: string,
): Node => {
  const isOwn = drainRequestOf(node)?.id === record.id;
  const given = isOwn ? withoutDrainRequest(node) : node;
  const freed = isOwn && leavesCordoned ? { ...given, spec: { ...given.spec, unschedulable: true } } : given;
  const text = message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE) };
  const ended = withRecord(freed, { ...record, phase, ...text });
  const told = withoutCondition(ended, MAINTENANCE_IN_PROGRESS, MAINTENANCE);
  return { ...told, metadata: withAnnotation(told.metadata, MAINTENANCE_DONE_ANNOTATION, undefined) };
};

/** What comes next for a node. */
export type MaintenanceStep =
  | { readonly step: 'done' | 'draining' | 'maintaining' }
  | { readonly step: 'fail'; readonly message: string };

const isSaidDone = (node: Node, record: MaintenanceRecord, doneWhen: string | undefined): boolean => {
  if (doneWhen === 'Drained') return true;
  if (doneWhen === 'Annotated')
    return ownMember(node.metadata.annotations, MAINTENANCE_DONE_ANNOTATION) === 'true';
  // A boot id that the node had not told when it began proves nothing.
  const isRebooted = (record.bootID ?? '') !== '' && bootIdOf(node) !== record.bootID;
  return isRebooted && readyStatusOf(node) === 'True';
};

/** Decides about a node whose maintenance is in progress. `isOver`: the window has ended, so what still drains fails. */
export const maintenanceStep = (
  node: Node,
  record: MaintenanceRecord,
  { spec = {} }: NodeMaintenance,
  isOver: boolean,
): MaintenanceStep => {
  const request = drainRequestOf(node);
  if (!request)
    return { step: 'fail', message: 'cancelled: the node is schedulable, or the request is gone' };
  if (request.id !== record.id)
    return { step: 'fail', message: `taken over by another drain, requested by ${request.by}` };
  if (isDrained(node)) return { step: isSaidDone(node, record, spec.doneWhen) ? 'done' : 'maintaining' };
  const progress = node.status?.conditions?.find(({ type }) => type === DRAIN_IN_PROGRESS);
  if (progress?.status === 'False')
    return { step: 'fail', message: `not drained: ${progress.message ?? ''}` };
  return isOver ? { step: 'fail', message: 'not drained when the window ended' } : { step: 'draining' };
};
