/** All that is asked about a pod before it runs. Source: kubernetes v1.34 pkg/kubelet `NewMainKubelet`, `HandlePodAdditions`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import { pressureRejection } from '../eviction/admission.ts';
import type { PressureCondition } from '../eviction/thresholds/signals.ts';
import { type Known, known, NOT_KNOWN } from '../known.ts';
import { ADMITTED, type Rejection, rejection, type Verdict } from '../pods/verdict.ts';
import { type AdmissionDecision, admitToNode, type NodeAdmission } from './admit-to-node.ts';
import { admitSysctls, type SysctlAllowlist } from './sysctls.ts';

/** What all handlers look at. */
export interface Admission extends NodeAdmission {
  /** What the node is short of. */
  readonly pressure: readonly PressureCondition[];
  readonly sysctls: SysctlAllowlist;
  /** Gives the pod CPUs and memory for itself, if it is to have some; absent: no pod gets any. */
  readonly admitResources?: (pod: AgentPod) => Verdict;
  /** Whether the machine can confine containers by AppArmor. */
  readonly hasAppArmor: boolean;
  /** The answer of `NodeShutdown`: no new pod while the node shuts down. */
  readonly shutdown: Verdict;
}

interface Confined {
  readonly securityContext?: { readonly appArmorProfile?: { readonly type?: string } };
}

const ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

const pressureVerdict = ({ pod, pressure }: Admission): Rejection | undefined => {
  const refused = pressureRejection(pod, pressure);
  return refused && rejection(refused.reason, refused.message);
};

const rejected = (verdict: Verdict | undefined): Rejection | undefined =>
  verdict?.admit === false ? verdict : undefined;

const containersOf = ({ spec }: Pod): readonly Confined[] =>
  ['containers', 'initContainers', 'ephemeralContainers'].flatMap(
    (field) => (spec[field] ?? []) as readonly Confined[],
  );

const asksForProfile = ({ securityContext }: Confined): boolean =>
  (securityContext?.appArmorProfile?.type ?? 'Unconfined') !== 'Unconfined';

const asksByAnnotation = ({ metadata }: Pod): boolean =>
  Object.entries(metadata.annotations ?? {}).some(
    ([key, value]) => key.startsWith(ANNOTATION) && value !== 'unconfined',
  );

/**
 * The rejection of a pod that wants to be confined on a machine that cannot. A pod that has been started is not asked again.
 * Source: kubernetes v1.34 pkg/security/apparmor, pkg/kubelet/lifecycle `appArmorAdmitHandler`.
 */
const appArmorRejection = (pod: Pod, hasAppArmor: boolean): Rejection | undefined => {
  if (hasAppArmor || (pod.status?.phase ?? 'Pending') !== 'Pending') return undefined;
  const asks = [pod.spec as Confined, ...containersOf(pod)].some(asksForProfile) || asksByAnnotation(pod);
  return asks
    ? rejection('AppArmor', 'Cannot enforce AppArmor: AppArmor is not enabled on the host')
    : undefined;
};

const earlyRejection = (given: Admission): Rejection | undefined =>
  pressureVerdict(given) ??
  rejected(admitSysctls(given.sysctls, given.pod)) ??
  rejected(given.admitResources?.(given.pod as AgentPod));

/**
 * Asks the handlers in their order; the first rejection counts. A node that shuts down is asked last, so that pods may end for one
 * that is refused then. Not known: the pod waits until the agent knows its Node.
 */
export const admitPod = (given: Admission): Known<AdmissionDecision> => {
  // Asked for first: a pod that waits gets no resources.
  if (!given.node.isKnown) return NOT_KNOWN;
  const early = earlyRejection(given);
  if (early) return known({ verdict: early, preempt: [] });
  const onNode = admitToNode(given);
  if (!onNode.isKnown) return onNode;
  const { verdict, preempt } = onNode.value;
  const late =
    rejected(verdict) ?? appArmorRejection(given.pod, given.hasAppArmor) ?? rejected(given.shutdown);
  return known({ verdict: late ?? ADMITTED, preempt });
};

const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';

const hasEnded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** The pods to ask about, oldest first. A pod that ends or has ended is not asked about. */
export const admissionOrder = (pods: readonly Pod[]): readonly Pod[] =>
  pods
    .filter((pod) => !hasEnded(pod))
    .toSorted((a, b) => {
      if (createdAt(a) === createdAt(b)) return 0;
      return createdAt(a) < createdAt(b) ? -1 : 1;
    });
