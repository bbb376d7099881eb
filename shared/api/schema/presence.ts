/**
 * Fields that are there also when nothing was set, because `omitempty` leaves no struct of Go out: instants are `null`,
 * others `{}`. Of Node conditions the instants stay away: rules read them. What a kind's defaults fill is not listed.
 */
export const ALWAYS: Readonly<Record<string, string>> = {
  'core.v1.ContainerStateRunning': 'startedAt',
  'core.v1.ContainerStateTerminated': 'startedAt finishedAt',
  'core.v1.ContainerStatus': 'state lastState',
  'core.v1.PodCondition': 'lastProbeTime lastTransitionTime',
};
