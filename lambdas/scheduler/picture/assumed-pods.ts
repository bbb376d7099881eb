import { isSameButVersion } from '../../../shared/kube/json/same-but-version.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ObjectChange } from '../../../shared/rules/scheduling/object-change.ts';
import type { Picture } from './picture.ts';

/** Pods that the picture shows on their nodes before their binds are in the log. */
export interface AssumedPods {
  get(uid: string): Pod | undefined;
  assume(pod: Pod): void;
  /** Takes `assume` back. */
  forget(pod: Pod): void;
  /** Takes over what the log says of a pod. What the picture shows already changes nothing, so that scores still hold. */
  apply(change: ObjectChange<Pod>): void;
}

const uidOf = (pod: Pod | undefined): string => pod?.metadata.uid ?? '';

export const createAssumedPods = (picture: Picture): AssumedPods => {
  const assumed = new Map<string, Pod>();
  const forget = (pod: Pod): void => {
    if (assumed.delete(uidOf(pod))) picture.forget(pod);
  };
  return {
    get: (uid) => assumed.get(uid),
    assume: (pod) => {
      assumed.set(uidOf(pod), pod);
      picture.assume(pod);
    },
    forget,
    apply: (change) => {
      const uid = uidOf(change.after ?? change.before);
      const pod = assumed.get(uid);
      if (pod && change.after && isSameButVersion(pod, change.after)) {
        assumed.delete(uid);
        return;
      }
      if (pod) forget(pod);
      picture.apply(change);
    },
  };
};
