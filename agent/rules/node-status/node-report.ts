/** The Node with all that its agent reports. Source: kubernetes v1.34 pkg/kubelet `defaultNodeStatusFuncs`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { NodeAddress } from '../node/addresses.ts';
import {
  type RuntimeHandler,
  type RuntimeImage,
  reportedHandlers,
  reportedImages,
  reportedVolumes,
  type Versions,
  versionInfo,
} from '../node/inventory.ts';
import { type MachineReport, withMachineInfo } from '../node/machine-info.ts';
import type { NodeEvent, NodeSystemInfo, ReportedNode, ReportedStatus } from '../node/reported-status.ts';
import { type NodeHealth, nodeConditions } from './conditions.ts';
import type { Platform } from './report.ts';

/** What was read for one report. What could not be read is absent, and does not stop the rest. */
export interface Readings {
  /** Absent: those that the Node has stay. */
  readonly addresses?: readonly NodeAddress[];
  /** Absent: those that the Node has stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly machine: Omit<MachineReport, 'nodeName'>;
  /** Absent: those that the Node has stay. */
  readonly versions?: Versions;
  readonly platform: Platform;
  /** The port of the agent's own server; absent: it has none. */
  readonly endpointPort?: number;
  /** Absent: the runtime cannot list its images, and none are reported. */
  readonly images?: readonly RuntimeImage[];
  /** The most images that are reported; negative: all. */
  readonly maxImages: number;
  /** Absent: those that the Node has stay. */
  readonly handlers?: readonly RuntimeHandler[];
  /** Whether the runtime knows `supplementalGroupsPolicy`; absent: it does not tell. */
  readonly supplementalGroupsPolicy?: boolean;
  readonly health: NodeHealth;
  readonly volumes: { readonly inUse?: readonly string[]; readonly isSynced: boolean };
}

export interface NodeReport {
  readonly node: ReportedNode;
  readonly events: readonly NodeEvent[];
}

const systemInfo = (status: ReportedStatus, { versions, platform }: Readings): Partial<NodeSystemInfo> => ({
  ...status.nodeInfo,
  ...(versions && versionInfo(versions)),
  ...platform,
});

/** Lists that are empty are absent, as on the wire. */
const inventory = (before: ReportedStatus | undefined, readings: Readings): ReportedStatus => {
  const { handlers } = readings;
  const images = reportedImages(readings.images ?? [], readings.maxImages);
  const runtimeHandlers = handlers ? reportedHandlers(handlers) : (before?.runtimeHandlers ?? []);
  const volumesInUse = reportedVolumes(
    before?.volumesInUse,
    readings.volumes.inUse,
    readings.volumes.isSynced,
  );
  return {
    ...(images && { images }),
    ...(volumesInUse && volumesInUse.length > 0 && { volumesInUse }),
    ...(runtimeHandlers.length > 0 && { runtimeHandlers }),
  };
};

const features = ({ endpointPort, supplementalGroupsPolicy }: Readings): ReportedStatus => ({
  ...(endpointPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: endpointPort } } }),
  ...(supplementalGroupsPolicy !== undefined && { features: { supplementalGroupsPolicy } }),
});

/** What `inventory` writes anew, or leaves out. */
const withoutInventory = (status: ReportedStatus): ReportedStatus => {
  const { images: _images, volumesInUse: _volumes, runtimeHandlers: _handlers, ...rest } = status;
  return rest;
};

/** The Node at `now` (wall time, ms), and the events about what changed. Parts of the status that others write stay. */
export const reportNode = (before: ReportedNode, readings: Readings, now: EpochMs): NodeReport => {
  const nodeName = before.metadata.name;
  const { addresses, annotations } = readings;
  const machine = withMachineInfo(before.status, { ...readings.machine, nodeName });
  const status: ReportedStatus = {
    ...withoutInventory(machine.status),
    ...(addresses && { addresses }),
    nodeInfo: systemInfo(machine.status, readings),
    ...features(readings),
    ...inventory(before.status, readings),
  };
  const { conditions, events } = nodeConditions(status, readings.health, { nodeName, now });
  return {
    node: {
      ...before,
      metadata: { ...before.metadata, ...(annotations && { annotations }) },
      status: { ...status, conditions },
    },
    events: [...machine.events, ...events],
  };
};
