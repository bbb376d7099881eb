import { flag, keptText, list, quantityMap, struct, text, time } from './field-types.ts';
import { condition, objectMeta } from './meta.ts';

const taint = struct('Taint', { key: keptText, value: text, effect: keptText, timeAdded: time });

const nodeInfo = struct(
  'NodeSystemInfo',
  Object.fromEntries(
    [
      'machineID',
      'systemUUID',
      'bootID',
      'kernelVersion',
      'osImage',
      'containerRuntimeVersion',
      'kubeletVersion',
      'kubeProxyVersion',
      'operatingSystem',
      'architecture',
    ].map((name) => [name, keptText]),
  ),
);

export const nodeSchema = struct('Node', {
  apiVersion: text,
  kind: text,
  metadata: objectMeta,
  spec: struct('NodeSpec', {
    podCIDR: text,
    podCIDRs: list(keptText),
    providerID: text,
    unschedulable: flag,
    taints: list(taint),
  }),
  status: struct('NodeStatus', {
    capacity: quantityMap,
    allocatable: quantityMap,
    phase: text,
    conditions: list(condition('NodeCondition')),
    addresses: list(struct('NodeAddress', { type: keptText, address: keptText })),
    daemonEndpoints: struct('NodeDaemonEndpoints', {
      kubeletEndpoint: struct('DaemonEndpoint', { Port: { type: 'int32', keep: true } }),
    }),
    nodeInfo,
  }),
});
