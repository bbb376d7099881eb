/** Volumes, their claims and drivers, and devices. Source: core, storage.k8s.io and resource.k8s.io v1.34 `types.go`. */
import type { NodeSelector, TopologySelectorTerm } from './affinity.ts';
import type { Amounts } from './core.ts';
import type { ApiObject, LabelSelector } from './meta.ts';

/** The claim that a volume is reserved for or bound to. Without a uid it is reserved for whatever claim has the name. */
export interface ClaimReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface PersistentVolumeSpec {
  readonly accessModes?: readonly string[];
  readonly capacity?: Amounts;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly nodeAffinity?: { readonly required?: NodeSelector };
  readonly hostPath?: { readonly path?: string };
  readonly local?: object;
  readonly claimRef?: ClaimReference;
  readonly volumeAttributesClassName?: string;
  readonly [field: string]: unknown;
}

export interface PersistentVolume extends ApiObject {
  readonly spec?: PersistentVolumeSpec;
  readonly status?: { readonly phase?: string; readonly [field: string]: unknown };
}

export interface VolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly volumeName?: string;
  readonly volumeAttributesClassName?: string;
  readonly dataSource?: Readonly<Record<string, unknown>>;
  readonly dataSourceRef?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface PersistentVolumeClaim extends ApiObject {
  readonly spec?: VolumeClaimSpec;
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: Amounts;
    readonly [field: string]: unknown;
  };
}

export interface StorageClass extends ApiObject {
  readonly provisioner?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

export interface VolumeError {
  readonly time?: string;
  readonly message?: string;
}

export interface VolumeAttachment extends ApiObject {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string; readonly inlineVolumeSpec?: object };
  };
  readonly status?: {
    readonly attached?: boolean;
    readonly attachmentMetadata?: Readonly<Record<string, string>>;
    readonly attachError?: VolumeError;
    readonly detachError?: VolumeError;
  };
}

export interface CSINodeDriver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: { readonly count?: number };
}

export interface CSINode extends ApiObject {
  readonly spec?: { readonly drivers?: readonly CSINodeDriver[] | null };
}

export interface CSIDriver extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface ExactDeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

export interface DeviceRequest {
  readonly name?: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly (ExactDeviceRequest & { readonly name?: string })[];
}

export interface ResourceClaim extends ApiObject {
  readonly spec?: { readonly devices?: { readonly requests?: readonly DeviceRequest[] } };
  readonly status?: {
    readonly allocation?: object;
    readonly reservedFor?: readonly object[];
  };
}

export interface ResourceSlice extends ApiObject {
  readonly spec?: {
    readonly driver?: string;
    readonly pool?: { readonly name?: string; readonly resourceSliceCount?: number };
    readonly nodeName?: string;
    readonly nodeSelector?: object;
    readonly allNodes?: boolean;
    readonly perDeviceNodeSelection?: boolean;
    readonly devices?: readonly { readonly name?: string }[];
  };
}
