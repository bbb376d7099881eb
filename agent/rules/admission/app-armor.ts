/** Pods that ask for AppArmor. Source: kubernetes v1.34 pkg/security/apparmor, pkg/kubelet/lifecycle `appArmorAdmitHandler`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { type Rejection, rejection } from '../pods/verdict.ts';

interface Confined {
  readonly securityContext?: { readonly appArmorProfile?: { readonly type?: string } };
}

const ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

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

/** The rejection of a pod that wants to be confined on a machine that cannot. A pod that has been started is not asked again. */
export const appArmorRejection = (pod: Pod, hasAppArmor: boolean): Rejection | undefined => {
  if (hasAppArmor || (pod.status?.phase ?? 'Pending') !== 'Pending') return undefined;
  const asks = [pod.spec as Confined, ...containersOf(pod)].some(asksForProfile) || asksByAnnotation(pod);
  return asks
    ? rejection('AppArmor', 'Cannot enforce AppArmor: AppArmor is not enabled on the host')
    : undefined;
};
