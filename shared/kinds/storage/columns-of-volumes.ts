/** Printers of PersistentVolumes, their claims and storage classes. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, UNSET, wideColumn } from '../fields/column.ts';

type Amounts = Readonly<Record<string, string>>;

interface Volume extends ApiObject {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly capacity?: Amounts;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
    readonly volumeName?: string;
  };
  readonly status?: {
    readonly accessModes?: readonly string[];
    readonly capacity?: Amounts;
    readonly phase?: string;
    readonly reason?: string;
  };
}

const MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

const modesText = (modes: readonly string[] = []): string =>
  MODES.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');

/** Annotation that names the storage class in older objects. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const classOf = ({ metadata, spec }: Volume): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';

const phaseOf = ({ metadata, status }: Volume): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';

const CLASS = column('StorageClass', 'The class of its storage.');
const ATTRIBUTES = column('VolumeAttributesClass', 'The class of its attributes.');
const VOLUME_MODE = wideColumn('VolumeMode', 'Whether it is a file system or a block device.');

/** The table of `kubectl get persistentvolumes`. */
export const persistentVolumePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Capacity', 'How much it holds.'),
    column('Access Modes', 'How nodes may use it.'),
    column('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    column('Status', 'Whether it is free, bound or released.'),
    column('Claim', 'The claim that it is bound to.'),
    CLASS,
    ATTRIBUTES,
    column('Reason', 'Why it failed.'),
    AGE_COLUMN,
    VOLUME_MODE,
  ],
  cells: (volume: Volume, now) => {
    const { metadata, spec = {}, status } = volume;
    const { claimRef } = spec;
    return [
      metadata.name,
      spec.capacity?.['storage'] ?? '0',
      modesText(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      phaseOf(volume),
      claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '',
      classOf(volume),
      spec.volumeAttributesClassName ?? UNSET,
      status?.reason ?? '',
      ageOf(metadata.creationTimestamp, now),
      spec.volumeMode ?? UNSET,
    ];
  },
};

/** The table of `kubectl get persistentvolumeclaims`. */
export const volumeClaimPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Status', 'Whether it is bound.'),
    column('Volume', 'The volume that it is bound to.'),
    column('Capacity', 'How much the volume holds.'),
    column('Access Modes', 'How nodes may use the volume.'),
    CLASS,
    ATTRIBUTES,
    AGE_COLUMN,
    VOLUME_MODE,
  ],
  cells: (claim: Volume, now) => {
    const { metadata, spec = {}, status } = claim;
    const isNamed = Boolean(spec.volumeName);
    return [
      metadata.name,
      phaseOf(claim),
      spec.volumeName ?? '',
      isNamed ? (status?.capacity?.['storage'] ?? '0') : '',
      isNamed ? modesText(status?.accessModes) : '',
      classOf(claim),
      spec.volumeAttributesClassName ?? UNSET,
      ageOf(metadata.creationTimestamp, now),
      spec.volumeMode ?? UNSET,
    ];
  },
};

interface StorageClass extends ApiObject {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowVolumeExpansion?: boolean;
}

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

const isDefault = ({ metadata }: StorageClass): boolean =>
  DEFAULT_ANNOTATIONS.some((annotation) => metadata.annotations?.[annotation] === 'true');

/** The table of `kubectl get storageclasses`. */
export const storageClassPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Provisioner', 'The driver that provisions its volumes.'),
    column('ReclaimPolicy', 'What becomes of a volume when its claim is gone.'),
    column('VolumeBindingMode', 'When a volume is provisioned and bound.'),
    column('AllowVolumeExpansion', 'Whether its volumes may grow.'),
    AGE_COLUMN,
  ],
  cells: (storageClass: StorageClass, now) => [
    `${storageClass.metadata.name}${isDefault(storageClass) ? ' (default)' : ''}`,
    storageClass.provisioner ?? '',
    storageClass.reclaimPolicy ?? 'Delete',
    storageClass.volumeBindingMode ?? 'Immediate',
    storageClass.allowVolumeExpansion ?? false,
    ageOf(storageClass.metadata.creationTimestamp, now),
  ],
};

interface StorageCapacity extends ApiObject {
  readonly storageClassName?: string;
  readonly capacity?: string;
}

/** The table of `kubectl get csistoragecapacities`. */
export const storageCapacityPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('StorageClassName', 'The class whose storage this is.'),
    column('Capacity', 'How much there is.'),
  ],
  cells: ({ metadata, storageClassName, capacity }: StorageCapacity) => [
    metadata.name,
    storageClassName ?? '',
    capacity ?? UNSET,
  ],
};
