/** Which nodes do not count for the state of their zone. */
import { LABEL_EXCLUDE_DISRUPTION } from '../../kube/types/well-known.ts';
import type { Labels } from './zone-names.ts';

/**
 * Whether a node is left out of the zone statistics (it is still monitored, tainted and evicted).
 * Source: kubernetes v1.34 nodelifecycle `isNodeExcludedFromDisruptionChecks`.
 */
export const isExcludedFromDisruption = (labels: Labels | undefined): boolean =>
  labels !== undefined && Object.hasOwn(labels, LABEL_EXCLUDE_DISRUPTION);
