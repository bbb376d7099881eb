import { ageOf } from '../../kube/text/human-duration.ts';
import type { Node } from '../../kube/types/core.ts';
import { MAINTENANCE_IN_PROGRESS, READY } from '../../kube/types/well-known.ts';
import { trueCondition } from '../../rules/drain/lifecycle-conditions.ts';
import { isShuttingDown } from '../../rules/shutdown/shutting-down-node.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, UNKNOWN, wideColumn } from '../fields/column.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

const roleOf = ([key, value]: readonly [string, string]): string => {
  if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
  return key === ROLE_LABEL ? value : '';
};

const rolesOf = ({ metadata }: Node): string => {
  const roles = new Set(Object.entries(metadata.labels ?? {}).map(roleOf));
  roles.delete('');
  return [...roles].sort().join(',') || NONE;
};

const readiness = ({ status }: Node): string => {
  const ready = status?.conditions?.findLast(({ type }) => type === READY);
  if (!ready) return 'Unknown';
  return ready.status === 'True' ? READY : `Not${READY}`;
};

const statusOf = (node: Node): string =>
  [
    readiness(node),
    ...(node.spec?.unschedulable ? ['SchedulingDisabled'] : []),
    ...(isShuttingDown(node) ? ['ShuttingDown'] : []),
    ...(trueCondition(node, MAINTENANCE_IN_PROGRESS) ? ['Maintenance'] : []),
  ].join(',');

const addressOf = ({ status }: Node, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? NONE;

interface NodeInfo {
  readonly kubeletVersion?: string;
  readonly osImage?: string;
  readonly kernelVersion?: string;
  readonly containerRuntimeVersion?: string;
}

const infoOf = ({ status }: Node): NodeInfo => status?.['nodeInfo'] ?? {};

/** The table of `kubectl get nodes`. */
export const nodePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Status', 'Whether the node is ready, and whether pods may be put on it.'),
    column('Roles', 'What the node is for, by its labels.'),
    AGE_COLUMN,
    column('Version', 'The version of the kubelet on the node.'),
    wideColumn('Internal-IP', 'The first address of the node within the cluster.'),
    wideColumn('External-IP', 'The first address of the node from outside.'),
    wideColumn('OS-Image', 'The operating system, as the node reports it.'),
    wideColumn('Kernel-Version', 'The version of the kernel, as the node reports it.'),
    wideColumn('Container-Runtime', 'The container runtime and its version, as the node reports them.'),
  ],
  cells: (node: Node, now) => {
    const info = infoOf(node);
    return [
      node.metadata.name,
      statusOf(node),
      rolesOf(node),
      ageOf(node.metadata.creationTimestamp, now),
      info.kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      info.osImage || UNKNOWN,
      info.kernelVersion || UNKNOWN,
      info.containerRuntimeVersion || UNKNOWN,
    ];
  },
};
