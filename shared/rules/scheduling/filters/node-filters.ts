/** Filters that need only the node itself. Source: kubernetes v1.34 scheduler plugins `nodeunschedulable`, `nodename`, `nodeports`. */
import { toleratesCordon } from '../../pods/tolerations.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import { collides, hostPortsOf } from '../pods/host-ports.ts';

const refusal = (reason: string, isResolvable: boolean): Refusal => ({ reasons: [reason], isResolvable });

const UNSCHEDULABLE = refusal('node(s) were unschedulable', false);
const OTHER_NAME = refusal("node(s) didn't match the requested node name", false);
const NO_PORTS = refusal("node(s) didn't have free ports for the requested pod ports", true);

/** Keeps pods off cordoned nodes, except pods that tolerate the taint of cordoned nodes. */
export const nodeUnschedulableFilter: FilterPlugin = {
  name: 'NodeUnschedulable',
  preFilter: ({ spec }) =>
    toleratesCordon(spec.tolerations ?? [])
      ? undefined
      : { filter: ({ node }) => (node.spec?.unschedulable === true ? UNSCHEDULABLE : undefined) },
};

/** Keeps a pod that names its node to that node. */
export const nodeNameFilter: FilterPlugin = {
  name: 'NodeName',
  preFilter: ({ spec }) =>
    spec.nodeName
      ? { filter: ({ node }) => (node.metadata.name === spec.nodeName ? undefined : OTHER_NAME) }
      : undefined,
};

/** Keeps pods off nodes on which one of their host ports is taken. */
export const nodePortsFilter: FilterPlugin = {
  name: 'NodePorts',
  preFilter: (pod) => {
    const wanted = hostPortsOf(pod);
    if (wanted.length === 0) return undefined;
    return {
      filter: ({ hostPorts }) =>
        hostPorts.some((taken) => wanted.some((port) => collides(port, taken))) ? NO_PORTS : undefined,
    };
  },
};
