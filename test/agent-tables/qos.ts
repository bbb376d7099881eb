import { oomScoreAdjustments } from '../../agent/domain/pods/oom-score.ts';
import { isCriticalPod, isNodeCriticalPod, isStaticPod } from '../../agent/domain/pods/pod-kind.ts';
import type { Pod } from '../../shared/api/core.ts';
import { podQosClass, qosClassOf } from '../../shared/api/defaults/qos-class.ts';
import { isMirrorPod } from '../../shared/domain/pods/mirror-pod.ts';
import { type Replays, replay } from './replay.ts';

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
