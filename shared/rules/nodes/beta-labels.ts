import type { Node } from '../../kube/types/core.ts';
import { LABEL_ARCH, LABEL_ARCH_BETA, LABEL_OS, LABEL_OS_BETA } from '../../kube/types/well-known.ts';

const MIRRORED = [
  [LABEL_OS, LABEL_OS_BETA],
  [LABEL_ARCH, LABEL_ARCH_BETA],
] as const;

/**
 * The node with the beta os and arch labels equal to the stable ones; a beta label without its stable label is unchanged,
 * and the same object comes back when nothing changes.
 * Source: kubernetes v1.34 nodelifecycle `reconcileNodeLabels`.
 */
export const reconcileNodeLabels = (node: Node): Node => {
  const labels = node.metadata.labels;
  if (labels === undefined) return node;
  const changes = MIRRORED.flatMap(([primary, secondary]): (readonly [string, string])[] => {
    const value = labels[primary];
    return value === undefined || labels[secondary] === value ? [] : [[secondary, value]];
  });
  if (changes.length === 0) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...Object.fromEntries(changes) } } };
};
