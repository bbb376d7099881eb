import type { Pod, PodPhase } from '../../../shared/kube/types/core.ts';
import type { OwnerReference } from '../../../shared/kube/types/meta.ts';
import type { Workload, WorkloadSpec } from '../../../shared/kube/types/workloads.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { toTime } from '../../../shared/kube/values/time.ts';

export interface WorkloadParts {
  readonly kind?: string;
  readonly name?: string;
  readonly spec?: WorkloadSpec;
  readonly status?: Workload['status'];
  readonly deletedAt?: EpochMs;
}

/** A workload of apps/v1 in the namespace `default` with the label `app: web`. */
export const aWorkload = ({ kind = 'ReplicaSet', name = 'web', ...parts }: WorkloadParts = {}): Workload => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    generation: 1,
    ...(parts.deletedAt === undefined ? {} : { deletionTimestamp: toTime(parts.deletedAt) }),
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
    ...parts.spec,
  },
  ...(parts.status ? { status: parts.status } : {}),
});

export const referenceTo = (
  { apiVersion, kind, metadata: { name, uid = '' } }: Workload,
  controller = true,
): OwnerReference => ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion: true });

export interface OwnedPodParts {
  readonly name: string;
  readonly owner?: Workload;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly phase?: PodPhase;
  readonly createdAt?: EpochMs;
  readonly readySince?: EpochMs;
  readonly deletedAt?: EpochMs;
  readonly namespace?: string;
  readonly restarts?: number;
}

const conditionsOf = (since: EpochMs | undefined) =>
  since === undefined
    ? {}
    : { conditions: [{ type: 'Ready', status: 'True' as const, lastTransitionTime: toTime(since) }] };

/** A pod with the label `app: web`; it runs where it has a node, and is ready where it says since when. */
export const anOwnedPod = (parts: OwnedPodParts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: parts.name,
    namespace: parts.namespace ?? 'default',
    uid: `uid-of-${parts.name}`,
    labels: parts.labels ?? { app: 'web' },
    creationTimestamp: toTime(parts.createdAt ?? 0),
    ...(parts.annotations ? { annotations: parts.annotations } : {}),
    ...(parts.owner ? { ownerReferences: [referenceTo(parts.owner)] } : {}),
    ...(parts.deletedAt === undefined ? {} : { deletionTimestamp: toTime(parts.deletedAt) }),
  },
  spec: parts.nodeName === undefined ? {} : { nodeName: parts.nodeName },
  status: {
    phase: parts.phase ?? (parts.nodeName === undefined ? 'Pending' : 'Running'),
    ...conditionsOf(parts.readySince),
    ...(parts.restarts === undefined
      ? {}
      : { containerStatuses: [{ name: 'c', restartCount: parts.restarts }] }),
  },
});
