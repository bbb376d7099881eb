import '../../kube/schema/rare-messages.ts';
/** Strategies of storage.k8s.io/v1: objects that kubelets and volume drivers keep about nodes. */
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { CSIDriver, CSINode, VolumeAttachment } from '../../kube/types/storage.ts';
import { keepMetadata, storedObject, withStatus } from '../contract/stored-object.ts';
import type { ServedKind } from '../contract/strategy.ts';
import {
  validateCSIDriver,
  validateCSIDriverUpdate,
  validateCSINode,
  validateCSINodeUpdate,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
} from './validate-attachments.ts';

const clusterKind = (kind: string, resource: string): ServedKind => ({
  group: 'storage.k8s.io',
  version: 'v1',
  kind,
  resource,
  namespaced: false,
});

/** How VolumeAttachments behave. */
export const volumeAttachmentStrategy = storedObject<VolumeAttachment>(
  {
    kind: clusterKind('VolumeAttachment', 'volumeattachments'),
    message: 'storage.v1.VolumeAttachment',
    rules: validateVolumeAttachment,
    changeRules: validateVolumeAttachmentUpdate,
  },
  {
    ...withStatus({ attached: false }),
    needsVersionOnUpdate: true,
    forStatusUpdate: (after, before) => ({
      ...after,
      spec: before.spec ?? {},
      metadata: keepMetadata(after.metadata, before.metadata),
    }),
  },
);

/** How CSINodes behave. */
export const csiNodeStrategy = storedObject<CSINode>(
  {
    kind: clusterKind('CSINode', 'csinodes'),
    message: 'storage.v1.CSINode',
    rules: validateCSINode,
    changeRules: validateCSINodeUpdate,
  },
  {
    // Kubernetes shows an empty list of drivers as null.
    defaults: (node) => ({ ...node, spec: { drivers: null, ...node.spec } }),
    needsVersionOnUpdate: true,
  },
);

const DRIVER_DEFAULTS = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ['Persistent'],
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
} as const;

/** How CSIDrivers behave. */
export const csiDriverStrategy = storedObject<CSIDriver>(
  {
    kind: clusterKind('CSIDriver', 'csidrivers'),
    message: 'storage.v1.CSIDriver',
    rules: validateCSIDriver,
    changeRules: validateCSIDriverUpdate,
  },
  {
    needsVersionOnUpdate: true,
    defaults: (driver) => ({ ...driver, spec: { ...DRIVER_DEFAULTS, ...driver.spec } }),
    // Kubernetes creates these without a generation and counts from the first change.
    forUpdate: (after, before) => {
      if (deepEqual(after.spec, before.spec)) return after;
      const generation = (before.metadata.generation ?? 0) + 1;
      return { ...after, metadata: { ...after.metadata, generation } };
    },
  },
);
