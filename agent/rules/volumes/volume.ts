/** Volumes of a pod, as far as the agent makes them: core/v1 `Volume`. One source is set. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { FieldRef, ResourceFieldRef } from '../containers/env-var.ts';

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** A ConfigMap or Secret whose entries become files. */
export interface DataSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface DownwardItem {
  readonly path: string;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly mode?: number;
}

export interface TokenSource {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

export interface Projection {
  readonly configMap?: DataSource;
  readonly secret?: DataSource;
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
  readonly serviceAccountToken?: TokenSource;
  readonly [source: string]: unknown;
}

interface Moded {
  readonly defaultMode?: number;
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  /** Of the PersistentVolume that a claim is bound to: a folder of one machine. */
  readonly local?: { readonly path: string };
  /** Whether no container may write to it. */
  readonly isReadOnly?: boolean;
  /** Why the volume of a claim is not there. */
  readonly fault?: string;
  readonly configMap?: DataSource & Moded;
  readonly secret?: Omit<DataSource, 'name'> & Moded & { readonly secretName?: string };
  readonly downwardAPI?: Moded & { readonly items?: readonly DownwardItem[] };
  readonly projected?: Moded & { readonly sources?: readonly Projection[] };
  readonly [source: string]: unknown;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: string;
}

/** Where a volume is on the machine that the agent does not make. */
export const placeOnMachine = ({ hostPath, local }: Volume): string | undefined =>
  hostPath?.path ?? local?.path;

export const volumesOf = ({ spec }: AgentPod): readonly Volume[] =>
  (spec['volumes'] ?? []) as readonly Volume[];

/** The volume's folder of the kubelet, so that tools find it; `undefined` for one that has none, or that the agent cannot make. */
export const pluginFolder = (volume: Volume): string | undefined => {
  if (volume.emptyDir) return 'kubernetes.io~empty-dir';
  if (volume.configMap) return 'kubernetes.io~configmap';
  if (volume.secret) return 'kubernetes.io~secret';
  if (volume.downwardAPI) return 'kubernetes.io~downward-api';
  return volume.projected ? 'kubernetes.io~projected' : undefined;
};

/**
 * Whether its files belong into memory, which no disk keeps: all that may hold a secret, as in a kubelet. Source: kubernetes v1.34
 * `wrappedVolumeSpec` of pkg/volume/{secret,projected,downwardapi,configmap}.
 */
export const isInMemory = ({ emptyDir, secret, downwardAPI, projected }: Volume): boolean =>
  emptyDir ? emptyDir.medium === 'Memory' : (secret ?? downwardAPI ?? projected) !== undefined;

/** The sources of a volume whose files the agent writes; `undefined` for any other volume. */
export const projectionsOf = (volume: Volume): readonly Projection[] | undefined => {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return [{ configMap }];
  if (secret) return [{ secret: { ...secret, name: secret.secretName ?? '' } }];
  if (downwardAPI) return [{ downwardAPI }];
  return projected && (projected.sources ?? []);
};

/** Permissions of files that ask for none. */
export const defaultModeOf = ({ configMap, secret, downwardAPI, projected }: Volume): number =>
  (configMap ?? secret ?? downwardAPI ?? projected)?.defaultMode ?? 0o644;
