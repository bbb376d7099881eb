/** Printers of `storage.k8s.io/v1`. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, UNSET } from '../fields/column.ts';

const flag = (name: string, description: string) => column(name, description, { type: 'boolean' });

interface CSINode extends ApiObject {
  readonly spec?: { readonly drivers?: readonly object[] | null };
}

/** The table of `kubectl get csinodes`. */
export const csiNodePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Drivers', 'How many drivers the node has.', { type: 'integer' }),
    AGE_COLUMN,
  ],
  cells: (node: CSINode, now) => [
    node.metadata.name,
    node.spec?.drivers?.length ?? 0,
    ageOf(node.metadata.creationTimestamp, now),
  ],
};

interface CSIDriver extends ApiObject {
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly storageCapacity?: boolean;
    readonly tokenRequests?: readonly { readonly audience: string }[];
    readonly requiresRepublish?: boolean;
    readonly volumeLifecycleModes?: readonly string[];
  };
}

/** The table of `kubectl get csidrivers`. */
export const csiDriverPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    flag('AttachRequired', 'Whether volumes are attached to nodes.'),
    flag('PodInfoOnMount', 'Whether the driver is told about the pod.'),
    flag('StorageCapacity', 'Whether the driver tells how much room there is.'),
    column('TokenRequests', 'The audiences of the tokens that the driver gets.'),
    flag('RequiresRepublish', 'Whether the driver is called again and again.'),
    column('Modes', 'The kinds of volumes that the driver has.'),
    AGE_COLUMN,
  ],
  cells: ({ metadata, spec = {} }: CSIDriver, now) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? UNSET,
    spec.requiresRepublish ?? false,
    spec.volumeLifecycleModes?.join(',') || NONE,
    ageOf(metadata.creationTimestamp, now),
  ],
};

interface VolumeAttachment extends ApiObject {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

/** The table of `kubectl get volumeattachments`. */
export const volumeAttachmentPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    // Kubernetes gives this column the format of a name, too.
    column('Attacher', 'The driver that attaches the volume.', { format: 'name' }),
    column('PV', 'The persistent volume.'),
    column('Node', 'The node that the volume is attached to.'),
    flag('Attached', 'Whether it is attached.'),
    AGE_COLUMN,
  ],
  cells: ({ metadata, spec, status }: VolumeAttachment, now) => [
    metadata.name,
    spec?.attacher ?? '',
    spec?.source?.persistentVolumeName ?? '',
    spec?.nodeName ?? '',
    status?.attached ?? false,
    ageOf(metadata.creationTimestamp, now),
  ],
};
