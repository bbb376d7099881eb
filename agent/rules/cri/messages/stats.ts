/** Messages about what containers use, and what becomes of them. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import { integer, message, messages, NumberValue, oneOf, text, textMap } from '../wire/describe.ts';
import { ContainerMetadata, ContainerStatus } from './containers.ts';
import { FilesystemUsage } from './images.ts';
import { PodSandboxStatus } from './sandboxes.ts';

export const ContainerStats = {
  attributes: message(1, {
    id: text(1),
    metadata: message(2, ContainerMetadata),
    labels: textMap(3),
    annotations: textMap(4),
  }),
  cpu: message(2, {
    timestamp: integer(1),
    usageCoreNanoSeconds: message(2, NumberValue),
    usageNanoCores: message(3, NumberValue),
  }),
  memory: message(3, {
    timestamp: integer(1),
    workingSetBytes: message(2, NumberValue),
    availableBytes: message(3, NumberValue),
    usageBytes: message(4, NumberValue),
    rssBytes: message(5, NumberValue),
    pageFaults: message(6, NumberValue),
    majorPageFaults: message(7, NumberValue),
  }),
  writableLayer: message(4, FilesystemUsage),
  swap: message(5, {
    timestamp: integer(1),
    swapAvailableBytes: message(2, NumberValue),
    swapUsageBytes: message(3, NumberValue),
  }),
};

export const ContainerStatsResponse = { stats: message(1, ContainerStats) };
export const ListContainerStatsRequest = {
  filter: message(1, { id: text(1), podSandboxId: text(2), labelSelector: textMap(3) }),
};
export const ListContainerStatsResponse = { stats: messages(1, ContainerStats) };

export const ContainerEvent = {
  containerId: text(1),
  containerEventType: oneOf(2, [
    'CONTAINER_CREATED_EVENT',
    'CONTAINER_STARTED_EVENT',
    'CONTAINER_STOPPED_EVENT',
    'CONTAINER_DELETED_EVENT',
  ]),
  createdAt: integer(3),
  podSandboxStatus: message(4, PodSandboxStatus),
  containersStatuses: messages(5, ContainerStatus),
};
