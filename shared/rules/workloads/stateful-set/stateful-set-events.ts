/** Texts of Events of StatefulSets. Source: kubernetes v1.34 pkg/controller/statefulset `stateful_pod_control.go`. */
import type { ChildEvent } from '../children/child-events.ts';

type Verb = 'create' | 'update' | 'delete';

const titled = (verb: Verb): string => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;

/** A pod was created, changed, or its deletion has begun; `error` says why not. */
export const podEvent = (verb: Verb, pod: string, set: string, error?: string): ChildEvent => {
  const what = `${verb} Pod ${pod} in StatefulSet ${set}`;
  return error === undefined
    ? { type: 'Normal', reason: `Successful${titled(verb)}`, message: `${what} successful` }
    : { type: 'Warning', reason: `Failed${titled(verb)}`, message: `${what} failed error: ${error}` };
};

/** A claim of a pod was created; `error` says why not. */
export const claimEvent = (claim: string, pod: string, set: string, error?: string): ChildEvent =>
  error === undefined
    ? {
        type: 'Normal',
        reason: 'SuccessfulCreate',
        message: `create Claim ${claim} Pod ${pod} in StatefulSet ${set} success`,
      }
    : {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `create Claim ${claim} for Pod ${pod} in StatefulSet ${set} failed error: ${error}`,
      };

/** Somebody else controls a claim, so that the retention policy does not hold for it. The words are Kubernetes' own. */
export const conflictEvent = (claim: string): ChildEvent => ({
  type: 'Warning',
  reason: 'ConflictingController',
  message: `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
});
