/** The copy of its Node that a machine keeps, so that static pods start without the API. */
import type { ReportedNode } from './reported-status.ts';

/** The text of the file: what the start of a pod looks at, without what changes with every report. */
export const nodeCopyText = ({ apiVersion, kind, metadata, spec, status = {} }: ReportedNode): string => {
  const { name, uid, labels } = metadata;
  const { capacity, allocatable, addresses, features } = status;
  const kept = { capacity, allocatable, addresses, features };
  return JSON.stringify({ apiVersion, kind, metadata: { name, uid, labels }, spec, status: kept });
};

/** Reads the file; `undefined` if it is not the copy of the Node of this uid. */
export const parseNodeCopy = (text: string, uid: string): ReportedNode | undefined => {
  try {
    const node = JSON.parse(text) as Partial<ReportedNode> | null;
    return node?.kind === 'Node' && node.metadata?.uid === uid ? (node as ReportedNode) : undefined;
  } catch {
    return undefined;
  }
};
