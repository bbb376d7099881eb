/** The copy of its Node that a machine keeps, so that static pods start without the API. */
import type { ReportedNode } from './reported-status.ts';

/** What the start of a pod looks at; without what changes with every report. */
const kept = ({ apiVersion, kind, metadata, spec, status = {} }: ReportedNode): ReportedNode => {
  const { name, uid, labels } = metadata;
  const { capacity, allocatable, addresses } = status;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(uid && { uid }), ...(labels && { labels }) },
    ...(spec && { spec }),
    status: {
      ...(capacity && { capacity }),
      ...(allocatable && { allocatable }),
      ...(addresses && { addresses }),
      ...(status['features'] !== undefined && { features: status['features'] }),
    },
  };
};

/** The text of the file. */
export const nodeCopyText = (node: ReportedNode): string => JSON.stringify(kept(node));

/** Reads the file; `undefined` if it is not the copy of the Node of this uid. */
export const parseNodeCopy = (text: string, uid: string): ReportedNode | undefined => {
  try {
    const node = JSON.parse(text) as Partial<ReportedNode> | null;
    return node?.kind === 'Node' && node.metadata?.uid === uid ? (node as ReportedNode) : undefined;
  } catch {
    return undefined;
  }
};
