/** The plugins in the order of the default profile. Source: kubernetes v1.34 scheduler `default_plugins.go`. */
import type { FilterPlugin, ScorePlugin } from './cluster/framework.ts';
import { nodeAffinityFilter, nodeAffinityScore } from './filters/node-affinity.ts';
import { nodeNameFilter, nodePortsFilter, nodeUnschedulableFilter } from './filters/node-filters.ts';
import { nodeResourcesFitFilter } from './filters/resources-fit.ts';
import { taintTolerationFilter, taintTolerationScore } from './filters/taint-toleration.ts';
import {
  interPodAffinityFilter,
  interPodAffinityScore,
  topologySpreadFilter,
  topologySpreadScore,
} from './pod-relations.ts';
import { imageLocalityScore } from './scores/image-locality.ts';
import { balancedAllocationScore, nodeResourcesFitScore } from './scores/resources-score.ts';
import { volumeBindingFilter } from './volumes/volume-binding.ts';
import { nodeVolumeLimitsFilter } from './volumes/volume-limits.ts';
import { volumeRestrictionsFilter } from './volumes/volume-restrictions.ts';
import { volumeZoneFilter } from './volumes/volume-zone.ts';

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
