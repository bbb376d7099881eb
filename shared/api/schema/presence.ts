/**
 * Fields that are there also when nothing was set, because `omitempty` leaves no struct of Go out: instants are `null`,
 * others `{}`. Texts without
 * `omitempty` are `""`. What a kind's defaults fill is not listed.
 */
export const ALWAYS: Readonly<Record<string, string>> = {
  'core.v1.ContainerStateRunning': 'startedAt',
  'core.v1.ContainerStateTerminated': 'startedAt finishedAt',
  'core.v1.ContainerStatus': 'state lastState',
  'core.v1.NodeAddress': 'type address',
  'core.v1.NodeCondition': 'type status lastHeartbeatTime lastTransitionTime',
  'core.v1.PodCondition': 'type status lastProbeTime lastTransitionTime',
};
