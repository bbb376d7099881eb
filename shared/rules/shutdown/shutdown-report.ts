/** What a node says of its shutdown, and the annotation of the Node that keeps it. */

import { isObject } from '../../kube/json/json-object.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';

/** A phase of a shutdown. The node's clock does not matter: it says seconds, no instants. */
export interface ShutdownReport {
  /** Names the shutdown. */
  readonly id: string;
  /** From 1 to `phases`. */
  readonly phase: number;
  readonly phases: number;
  /** Until the pods of this phase have to be gone. */
  readonly phaseSeconds: number;
  /** Until the pods of all phases have to be gone. */
  readonly remainingSeconds: number;
  /** The most that a shutdown of this node takes, as it is configured. */
  readonly totalSeconds: number;
}

/** The annotation of a Node with the last report of its last shutdown. Only the subresource `shutdown` writes it. */
export const SHUTDOWN_ANNOTATION = 'rollcall.dev/shutdown';

interface ShutdownRecord extends ShutdownReport {
  /** The shutdown was cancelled, its time is over, or the machine is back. */
  readonly ended?: true;
}

const recordOf = ({ metadata }: Node): ShutdownRecord | undefined => {
  const text = ownMember(metadata.annotations, SHUTDOWN_ANNOTATION);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as unknown as ShutdownRecord) : undefined;
  } catch {
    return undefined;
  }
};

const withRecord = (node: Node, record: ShutdownRecord): Node => ({
  ...node,
  metadata: withAnnotation(node.metadata, SHUTDOWN_ANNOTATION, JSON.stringify(record)),
});

/** The last report of the shutdown that goes on; `undefined`: none does. */
export const shutdownReportOf = (node: Node): ShutdownReport | undefined => {
  const record = recordOf(node);
  return record === undefined || record.ended ? undefined : record;
};

/** Whether the shutdown of this id has ended, so that a report of it comes too late. */
export const hasShutdownEnded = (node: Node, id: string): boolean => {
  const record = recordOf(node);
  return record?.ended === true && record.id === id;
};

/** The node with the report; the same object for a phase that has been left already. */
export const withShutdownReport = (node: Node, report: ShutdownReport): Node => {
  const present = shutdownReportOf(node);
  return present?.id === report.id && report.phase < present.phase ? node : withRecord(node, report);
};

/** The node whose shutdown has ended; the same object if none goes on. */
export const withShutdownEnded = (node: Node): Node => {
  const present = shutdownReportOf(node);
  return present ? withRecord(node, { ...present, ended: true }) : node;
};

/** Whether the node remembers a shutdown that has ended. */
export const remembersShutdown = (node: Node): boolean => recordOf(node)?.ended === true;

/** The node without what it remembers of a shutdown that has ended. */
export const withShutdownForgotten = (node: Node): Node =>
  remembersShutdown(node)
    ? { ...node, metadata: withAnnotation(node.metadata, SHUTDOWN_ANNOTATION, undefined) }
    : node;

/** The node with the record of another state of it: what clients write does not count. */
export const withShutdownRecordOf = (node: Node, other: Node | undefined): Node => {
  const text = other && ownMember(other.metadata.annotations, SHUTDOWN_ANNOTATION);
  const metadata = withAnnotation(node.metadata, SHUTDOWN_ANNOTATION, text);
  return metadata === node.metadata ? node : { ...node, metadata };
};
