import { oomScoreAdjustments } from '../../../agent/rules/pods/oom-score.ts';
import { isCriticalPod, isNodeCriticalPod, isStaticPod } from '../../../agent/rules/pods/pod-kind.ts';
import { podQosClass, qosClassOf } from '../../../shared/kube/defaults/qos-class.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { isMirrorPod } from '../../../shared/rules/pods/mirror-pod.ts';
import { type Replays, replay } from '../replay.ts';

export const TABLES: Replays = {
  'qos-class': replay(({ pod, getPodQOS }: { readonly pod: Pod; readonly getPodQOS?: boolean }) => {
    if (getPodQOS) return { qos: podQosClass(pod) };
    return {
      critical: isCriticalPod(pod),
      mirror: isMirrorPod(pod),
      nodeCritical: isNodeCriticalPod(pod),
      qos: qosClassOf(pod.spec),
      static: isStaticPod(pod),
    };
  }),
  'qos-oom': replay(({ pod, memoryCapacity }: { readonly pod: Pod; readonly memoryCapacity: number }) =>
    oomScoreAdjustments(pod, memoryCapacity),
  ),
};
