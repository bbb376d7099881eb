/** Ports that pods take on their node's own addresses. Source: kubernetes v1.34 scheduler `framework.HostPortInfo`. */
import type { Pod } from '../../../kube/types/core.ts';
import { isSidecar, schedulingSpec } from './scheduling-spec.ts';

/** A port of a node. The address `0.0.0.0` stands for all of them. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The address of a host port that is taken on all addresses of the node. */
export const ALL_ADDRESSES = '0.0.0.0';

/** The host ports of a pod's containers and sidecars; those of other init containers are free again when the pod runs. */
export const hostPortsOf = (pod: Pod): readonly HostPort[] => {
  const { containers = [], initContainers = [] } = schedulingSpec(pod);
  return [...containers, ...initContainers.filter(isSidecar)]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort: port = 0, hostIP, protocol }) => ({
      ip: hostIP || ALL_ADDRESSES,
      protocol: protocol || 'TCP',
      port,
    }));
};

/** Whether two host ports cannot be on one node. */
export const collides = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || a.ip === ALL_ADDRESSES || b.ip === ALL_ADDRESSES);
