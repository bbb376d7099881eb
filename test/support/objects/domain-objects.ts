import type { Node, Pod, Taint, Toleration } from '../../../shared/kube/types/core.ts';
import type { Condition, ConditionStatus } from '../../../shared/kube/types/meta.ts';
import { LABEL_REGION, LABEL_ZONE } from '../../../shared/kube/types/well-known.ts';
import { type EpochMs, parseTime, toTime } from '../../../shared/kube/values/time.ts';

/** Milliseconds of an RFC 3339 string; throws where a test misspells one. */
export const at = (time: string): EpochMs => {
  const ms = parseTime(time);
  if (ms === undefined) throw new Error(`not a time: ${time}`);
  return ms;
};

export interface NodeParts {
  readonly name?: string;
  readonly created?: EpochMs;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
}

/** A node with what the case is about; created in 2012. */
export const aNode = (parts: NodeParts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: parts.name ?? 'node0',
    uid: `uid-of-${parts.name ?? 'node0'}`,
    creationTimestamp: toTime(parts.created ?? at('2012-01-01T00:00:00Z')),
    ...(parts.labels === undefined ? {} : { labels: parts.labels }),
  },
  spec: {
    ...(parts.taints === undefined ? {} : { taints: parts.taints }),
    ...(parts.unschedulable === undefined ? {} : { unschedulable: parts.unschedulable }),
  },
  ...(parts.conditions === undefined ? {} : { status: { conditions: parts.conditions } }),
});

/** A condition whose heartbeat and transition times are given, or left out. */
export const aCondition = (
  type: string,
  status: ConditionStatus,
  heartbeatAt?: EpochMs,
  transitionAt: EpochMs | undefined = heartbeatAt,
): Condition => ({
  type,
  status,
  ...(heartbeatAt === undefined ? {} : { lastHeartbeatTime: toTime(heartbeatAt) }),
  ...(transitionAt === undefined ? {} : { lastTransitionTime: toTime(transitionAt) }),
});

export const ready = (status: ConditionStatus, heartbeatAt?: EpochMs, transitionAt?: EpochMs): Condition =>
  aCondition('Ready', status, heartbeatAt, transitionAt ?? heartbeatAt);

export interface PodParts {
  readonly name?: string;
  readonly nodeName?: string;
  readonly tolerations?: readonly Toleration[];
  readonly conditions?: readonly Condition[];
}

export const aPod = (parts: PodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: parts.name ?? 'pod0', namespace: 'default', uid: `uid-of-${parts.name ?? 'pod0'}` },
  spec: {
    ...(parts.nodeName === undefined ? {} : { nodeName: parts.nodeName }),
    ...(parts.tolerations === undefined ? {} : { tolerations: parts.tolerations }),
  },
  ...(parts.conditions === undefined ? {} : { status: { conditions: parts.conditions } }),
});

/** `key[=value]:Effect`, as kubectl writes a taint. */
export const taint = (text: string): Taint => {
  const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text);
  const [, key, value, effect] = match ?? [];
  if (key === undefined) throw new Error(`not a taint: ${text}`);
  const known = (['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const).find((name) => name === effect);
  return { key, ...(value === undefined ? {} : { value }), effect: known ?? 'NoSchedule' };
};

/** The inverse of `taint`, without the time it was added. */
export const taintText = ({ key, value, effect }: Taint): string =>
  `${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`;

export const zoneLabels = (region: string, zone: string): Readonly<Record<string, string>> => ({
  [LABEL_REGION]: region,
  [LABEL_ZONE]: zone,
});
