/** Which CPUs belong to which container. Source: kubernetes v1.34 cpumanager/state. */
import { areSame, type CpuSet, common, together } from './cpu-sets.ts';

/** CPUs of their own, by uid of the pod and name of the container. */
export type CpuAssignments = Readonly<Record<string, Readonly<Record<string, CpuSet>>>>;

export interface CpuState {
  /** What all other containers share. */
  readonly shared: CpuSet;
  readonly assignments: CpuAssignments;
}

export const EMPTY_STATE: CpuState = { shared: [], assignments: {} };

export const assignedCpus = (state: CpuState, podUid: string, container: string): CpuSet | undefined =>
  state.assignments[podUid]?.[container];

/** All CPUs that containers of the pod have for themselves, but those of `except`. */
export const cpusOfPod = (state: CpuState, podUid: string, except?: string): CpuSet =>
  together(
    ...Object.entries(state.assignments[podUid] ?? {}).flatMap(([name, cpus]) =>
      name === except ? [] : [cpus],
    ),
  );

/** Without the pod, once none of its containers has CPUs. `cpus` absent: the container has none any more. */
export const withAssignment = (
  assignments: CpuAssignments,
  podUid: string,
  container: string,
  cpus: CpuSet | undefined,
): CpuAssignments => {
  const { [podUid]: ofPod = {}, ...others } = assignments;
  const { [container]: _, ...rest } = ofPod;
  const now = cpus ? { ...rest, [container]: cpus } : rest;
  return Object.keys(now).length === 0 ? others : { ...others, [podUid]: now };
};

interface Expected {
  readonly all: CpuSet;
  readonly reserved: CpuSet;
  /** Whether shared containers stay away from what is reserved: `strict-cpu-reservation`. */
  readonly isStrict: boolean;
  readonly textOf: (cpus: CpuSet) => string;
}

const reservationFault = (shared: CpuSet, { reserved, isStrict, textOf }: Expected): string | undefined => {
  const found = common(reserved, shared);
  if (isStrict)
    return found.length === 0
      ? undefined
      : `some of strictly reserved cpus: "${textOf(found)}" are present in defaultCpuSet: "${textOf(shared)}"`;
  return areSame(found, reserved)
    ? undefined
    : `not all reserved cpus: "${textOf(reserved)}" are present in defaultCpuSet: "${textOf(shared)}"`;
};

const overlapFault = ({ shared, assignments }: CpuState, textOf: Expected['textOf']): string | undefined => {
  for (const [pod, containers] of Object.entries(assignments))
    for (const [container, cpus] of Object.entries(containers))
      if (common(shared, cpus).length > 0)
        return `pod: ${pod}, container: ${container} cpuset: "${textOf(cpus)}" overlaps with default cpuset "${textOf(shared)}"`;
  return undefined;
};

/** What keeps a state that was read from counting on this machine. Source: `staticPolicy.validateState`. */
export const cpuStateFault = (state: CpuState, expected: Expected): string | undefined => {
  const { shared, assignments } = state;
  if (shared.length === 0)
    return Object.keys(assignments).length === 0 ? undefined : 'default cpuset cannot be empty';
  const fault = reservationFault(shared, expected) ?? overlapFault(state, expected.textOf);
  if (fault !== undefined) return fault;
  const known = together(shared, ...Object.keys(assignments).map((pod) => cpusOfPod(state, pod)));
  return areSame(known, expected.all)
    ? undefined
    : `current set of available CPUs "${expected.textOf(expected.all)}" doesn't match with CPUs in state "${expected.textOf(known)}"`;
};
