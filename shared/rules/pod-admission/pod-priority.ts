/** The priority that a pod gets from its PriorityClass. Source: kubernetes v1.34 admission plugin `Priority`. */
import type { Pod } from '../../kube/types/core.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';

const DEFAULT_POLICY = 'PreemptLowerPriority';

/** The default class for pods that name none. If a race left several, the one with the lowest value. */
export const globalDefaultOf = (classes: readonly PriorityClass[]): PriorityClass | undefined =>
  classes
    .filter(({ globalDefault }) => globalDefault === true)
    .toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];

/** The class that the pod names, or `''`. */
export const classNameOf = ({ spec }: Pod): string => {
  const name = spec?.['priorityClassName'];
  return typeof name === 'string' ? name : '';
};

const refusal = (field: string, given: unknown, computed: unknown): string =>
  `the ${field} (${String(given)}) must not be provided in pod spec; priority admission controller computed ${String(computed)} from the given PriorityClass name`;

/** Why the pod is refused: its priority or policy differs from that of its class. */
const priorityFault = ({ spec }: Pod, priority: number, policy: string): string | undefined => {
  const [given, givenPolicy] = [spec['priority'], spec['preemptionPolicy']];
  if (given !== undefined && given !== priority) return refusal('integer value of priority', given, priority);
  if (givenPolicy !== undefined && givenPolicy !== policy)
    return refusal('string value of PreemptionPolicy', givenPolicy, policy);
  return undefined;
};

/** The new pod with the priority of `found` (the class that it names, or else the default class), or why the pod is refused. */
export const withPriority = (
  pod: Pod,
  found: PriorityClass | undefined,
): { readonly pod: Pod } | { readonly fault: string } => {
  const wanted = classNameOf(pod);
  if (wanted !== '' && !found) return { fault: `no PriorityClass with name ${wanted} was found` };
  const { value: priority = 0, preemptionPolicy = DEFAULT_POLICY } = found ?? {};
  const fault = priorityFault(pod, priority, preemptionPolicy);
  if (fault) return { fault };
  const className = found ? { priorityClassName: found.metadata.name } : {};
  return { pod: { ...pod, spec: { ...pod.spec, ...className, priority, preemptionPolicy } } };
};

/** An updated pod keeps the priority that it was given, also if the client omits it. */
export const keepPriority = (after: Pod, before: Pod | undefined): Pod => {
  const kept = (['priority', 'preemptionPolicy'] as const).flatMap((field) => {
    const value = after.spec[field] ?? before?.spec[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...after, spec: { ...after.spec, ...Object.fromEntries(kept) } };
};
