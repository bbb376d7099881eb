/** The fields of a StatefulSet that its rules use, with defaults. Source: kubernetes v1.34 `apps/v1` types and defaults. */
import type { PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import type { Workload } from '../../../kube/types/workloads.ts';

/** What happens to a claim when its pod, or the StatefulSet, is no longer wanted. */
export type Retention = 'Retain' | 'Delete';

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly ordinals?: { readonly start?: number };
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  readonly volumeClaimTemplates?: readonly Partial<PersistentVolumeClaim>[];
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: Retention;
    readonly whenScaled?: Retention;
  };
}

const specOf = ({ spec = {} }: Workload): StatefulSetSpec => spec;

/** The least ordinal, and the first one behind the greatest (W-131). */
export const ordinalsOf = (set: Workload): { readonly start: number; readonly end: number } => {
  const { replicas = 1, ordinals } = specOf(set);
  const start = ordinals?.start ?? 0;
  return { start, end: start + replicas };
};

/** Whether pods are made and deleted without waiting for each other. */
export const isParallel = (set: Workload): boolean => specOf(set).podManagementPolicy === 'Parallel';

/** Name of the Service that governs the pods' host names. */
export const serviceNameOf = (set: Workload): string => specOf(set).serviceName ?? '';

/**
 * How many pods, from the least ordinal on, keep the current revision; `undefined` with OnDelete, where only somebody else's
 * deletion replaces a pod.
 */
export const partitionOf = (set: Workload): number | undefined => {
  const { type = 'RollingUpdate', rollingUpdate } = specOf(set).updateStrategy ?? {};
  return type === 'RollingUpdate' ? (rollingUpdate?.partition ?? 0) : undefined;
};

/** The templates of the pods' claims. */
export const claimTemplatesOf = (set: Workload): readonly Partial<PersistentVolumeClaim>[] =>
  specOf(set).volumeClaimTemplates ?? [];

/** Whether claims go with the StatefulSet, and with a pod that is scaled away. */
export const retentionOf = (
  set: Workload,
): { readonly whenDeleted: Retention; readonly whenScaled: Retention } => ({
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  ...specOf(set).persistentVolumeClaimRetentionPolicy,
});
