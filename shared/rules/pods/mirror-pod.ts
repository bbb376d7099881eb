import type { Pod } from '../../kube/types/core.ts';

/** Annotation of mirror pods; its value is the hash of the static pod. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether this is a mirror pod: the API's copy of a static pod that a kubelet runs by itself. */
export const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
