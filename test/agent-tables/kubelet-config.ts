import { readKubeletConfig } from '../../agent/config/read-kubelet-config.ts';
import { hardThresholds } from '../../agent/rules/config/eviction-defaults.ts';
import {
  ConfigFault,
  decodeKubeletConfig,
  type KubeletConfig,
} from '../../agent/rules/config/kubelet-config.ts';
import { kubeletConfigFaults } from '../../agent/rules/config/validate.ts';
import { DecodeError } from '../../shared/kube/schema/go-types.ts';
import { goDurationText } from '../../shared/kube/text/go-duration.ts';
import { type Replays, replay } from './replay.ts';

/** The values that the recording shows, as it shows them. */
const effective = (config: KubeletConfig) => ({
  cpuManagerPolicy: config.cpuManagerPolicy,
  cpuManagerReconcilePeriod: goDurationText(config.cpuManagerReconcilePeriod),
  enforceNodeAllocatable: config.enforceNodeAllocatable,
  eventBurst: config.eventBurst,
  eventRecordQPS: config.eventRecordQPS,
  evictionHard: config.evictionHard ?? null,
  evictionMaxPodGracePeriod: config.evictionMaxPodGracePeriod,
  evictionPressureTransitionPeriod: goDurationText(config.evictionPressureTransitionPeriod),
  failCgroupV1: config.failCgroupV1,
  failSwapOn: config.failSwapOn,
  kubeAPIBurst: config.kubeAPIBurst,
  kubeAPIQPS: config.kubeAPIQPS,
  localStorageCapacityIsolation: config.localStorageCapacityIsolation,
  maxPods: config.maxPods,
  memoryManagerPolicy: config.memoryManagerPolicy,
  mergeDefaultEvictionSettings: config.mergeDefaultEvictionSettings,
  nodeLeaseDurationSeconds: config.nodeLeaseDurationSeconds,
  nodeStatusMaxImages: config.nodeStatusMaxImages,
  nodeStatusReportFrequency: goDurationText(config.nodeStatusReportFrequency),
  nodeStatusUpdateFrequency: goDurationText(config.nodeStatusUpdateFrequency),
  podsPerCore: config.podsPerCore,
  registerNode: config.registerNode,
  shutdownGracePeriod: goDurationText(config.shutdownGracePeriod),
  shutdownGracePeriodByPodPriority: (config.shutdownGracePeriodByPodPriority ?? []).map(
    ({ priority, shutdownGracePeriodSeconds }) => [priority, shutdownGracePeriodSeconds],
  ),
  shutdownGracePeriodCriticalPods: goDurationText(config.shutdownGracePeriodCriticalPods),
  swapBehavior: config.memorySwap.swapBehavior,
  syncFrequency: goDurationText(config.syncFrequency),
  topologyManagerPolicy: config.topologyManagerPolicy,
  topologyManagerScope: config.topologyManagerScope,
});

const faultOf = (error: unknown) => {
  if (error instanceof DecodeError) return { decodeError: error.message };
  if (!(error instanceof ConfigFault)) throw error;
  return error.kind === 'field' ? { decodeError: error.message } : { panic: error.message };
};

export const TABLES: Replays = {
  'kubelet-config': replay((document: unknown) => {
    try {
      const config = decodeKubeletConfig(document);
      return { effective: effective(config), errors: kubeletConfigFaults(config) };
    } catch (error) {
      return faultOf(error);
    }
  }),
  'eviction-defaults': replay(({ yaml }: { readonly yaml: string }) => {
    const read = readKubeletConfig(yaml, 'kubelet.yaml');
    return 'problems' in read
      ? { error: read.problems.join('\n'), evictionHard: null }
      : { error: null, evictionHard: hardThresholds(read.config, 'linux') };
  }),
};
