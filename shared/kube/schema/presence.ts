/**
 * Fields that are present even if they were not set. Go's `omitempty` never omits a struct: an unset time is `null`, any
 * other struct `{}`. A string without `omitempty` is `""`. Fields that a kind's defaults fill are not listed.
 */
export const ALWAYS: Readonly<Record<string, string>> = {
  'core.v1.ContainerStateRunning': 'startedAt',
  'core.v1.ContainerStateTerminated': 'startedAt finishedAt',
  'core.v1.ContainerStatus': 'state lastState',
  'core.v1.NodeAddress': 'type address',
  'core.v1.NodeCondition': 'type status lastHeartbeatTime lastTransitionTime',
  'core.v1.PodCondition': 'type status lastProbeTime lastTransitionTime',
};
