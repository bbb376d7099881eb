/** The plugins in the order of the default profile. Source: kubernetes v1.34 scheduler `default_plugins.go`. */
import type { FilterPlugin, ScorePlugin } from './framework.ts';
import { imageLocalityScore } from './image-locality.ts';
import { nodeAffinityFilter, nodeAffinityScore } from './node-affinity.ts';
import { nodeNameFilter, nodePortsFilter, nodeUnschedulableFilter } from './node-filters.ts';
import {
  interPodAffinityFilter,
  interPodAffinityScore,
  topologySpreadFilter,
  topologySpreadScore,
} from './pod-relations.ts';
import { nodeResourcesFitFilter } from './resources-fit.ts';
import { balancedAllocationScore, nodeResourcesFitScore } from './resources-score.ts';
import { taintTolerationFilter, taintTolerationScore } from './taint-toleration.ts';
import { volumeBindingFilter } from './volume-binding.ts';
import { nodeVolumeLimitsFilter } from './volume-limits.ts';
import { volumeRestrictionsFilter } from './volume-restrictions.ts';
import { volumeZoneFilter } from './volume-zone.ts';

/** The plugins that one profile of the scheduler uses. */
export interface Profile {
  /** The first filter that refuses a node says why. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly ScorePlugin[];
}

/** The default profile. */
export const DEFAULT_PROFILE: Profile = {
  filters: [
    nodeUnschedulableFilter,
    nodeNameFilter,
    taintTolerationFilter,
    nodeAffinityFilter,
    nodePortsFilter,
    nodeResourcesFitFilter,
    volumeRestrictionsFilter,
    nodeVolumeLimitsFilter,
    volumeBindingFilter,
    volumeZoneFilter,
    topologySpreadFilter,
    interPodAffinityFilter,
  ],
  scores: [
    taintTolerationScore,
    nodeAffinityScore,
    topologySpreadScore,
    interPodAffinityScore,
    nodeResourcesFitScore,
    balancedAllocationScore,
    imageLocalityScore,
  ],
};
