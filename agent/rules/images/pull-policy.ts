/** Whether an image is pulled. Source: kubernetes v1.34 pkg/kubelet/images `imagePullPrecheck`. */

/** `present`: the image of the machine is used. `missing`: there is none, and none may be pulled. */
export type PullDecision = 'pull' | 'present' | 'missing';

/** Whether the machine's image counts, so that the runtime has to be asked for it. */
export const usesPresent = (policy: string): boolean => policy !== 'Always';

/** `isPresent` does not count if the policy does not use it. A policy that Kubernetes does not know pulls nothing. */
export const pullDecision = (policy: string, isPresent: boolean): PullDecision => {
  if (!usesPresent(policy)) return 'pull';
  if (isPresent) return 'present';
  return policy === 'IfNotPresent' ? 'pull' : 'missing';
};
