/** The scheduler's stored message, taken apart by plugin. */

import { optional } from '../../kube/values/optional.ts';

/** How many nodes were refused for one reason, and by which plugin. */
export interface CountedRefusal {
  readonly nodes: number;
  readonly reason: string;
  /** Name of the plugin; `undefined` for the words of another scheduler. */
  readonly plugin?: string;
  /** Id of the rule of the filter. */
  readonly rule?: string;
}

/** What the message says. */
export interface SchedulerWords {
  /** How many nodes there were; `undefined` if the message does not count nodes. */
  readonly nodeCount?: number;
  readonly refusals: readonly CountedRefusal[];
  /** What preemption found, as the message has it. */
  readonly preemption?: string;
  /** Why no node could be judged at all. */
  readonly fault?: string;
}

type Filter = readonly [plugin: string, rule: string, reason: RegExp];

/** The texts of section 12, in the order of the filters. */
const FILTERS: readonly Filter[] = [
  ['NodeUnschedulable', 'F-01', /were unschedulable$/],
  ['NodeName', 'F-02', /requested node name$/],
  ['TaintToleration', 'F-03', /untolerated taint/],
  ['NodeAffinity', 'F-04', /Pod's node affinity\/selector$/],
  ['NodeAffinity', 'F-05', /didn't satisfy plugin\(s\) \[NodeAffinity\]/],
  ['NodePorts', 'F-07', /free ports for the requested pod ports$/],
  ['NodeResourcesFit', 'F-08', /^(Insufficient |Too many pods$)/],
  ['VolumeRestrictions', 'F-09', /ReadWriteOncePod access mode/],
  ['VolumeRestrictions', 'F-10', /no available disk$/],
  ['NodeVolumeLimits', 'F-11', /exceed max volume count$/],
  ['VolumeBinding', 'F-13', /PersistentVolume's node affinity$|non-existent pv/],
  ['VolumeBinding', 'F-14', /available persistent volumes to bind$/],
  ['VolumeZone', 'F-15', /available volume zone$/],
  ['PodTopologySpread', 'X-01', /pod topology spread constraints/],
  ['InterPodAffinity', 'Y-01', /pod affinity rules$/],
  ['InterPodAffinity', 'Y-03', /match pod anti-affinity rules$/],
  ['InterPodAffinity', 'Y-04', /existing pods anti-affinity rules$/],
];

const PREEMPTION = ' no new claims to deallocate, preemption: ';

const refusalOf = (text: string): CountedRefusal | undefined => {
  const [, count, reason] = /^(\d+) (.+)$/.exec(text) ?? [];
  if (reason === undefined) return undefined;
  const [plugin, rule] = FILTERS.find(([, , words]) => words.test(reason)) ?? [];
  return {
    nodes: Number(count),
    reason,
    ...optional('plugin', plugin),
    ...optional('rule', rule),
  };
};

/** Takes the message of `misfitMessage` apart. A text that it does not know comes back as a fault. */
export const readMisfit = (message: string): SchedulerWords => {
  const [refused = '', preemption] = message.split(PREEMPTION);
  const [, count, reasons] = /^0\/(\d+) nodes are available: (.+?)\.?$/.exec(refused.trim()) ?? [];
  if (reasons === undefined) return { refusals: [], fault: message };
  const parts = reasons.split(/, (?=\d+ )/).map(refusalOf);
  const refusals = parts.filter((part) => part !== undefined);
  const nodeCount = Number(count);
  if (refusals.length < parts.length)
    return { nodeCount, refusals: [], fault: reasons.replace(/\. not found$/, '') };
  return { nodeCount, refusals, ...optional('preemption', preemption) };
};
