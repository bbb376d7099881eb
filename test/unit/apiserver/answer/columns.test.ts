import { describe, expect, it } from 'vitest';
import { printerOf } from '../../../../shared/apiserver/answer/columns-by-resource.ts';
import { columnsOf, objectWith, printed, targetOf } from '../../../support/objects/printed.ts';

const COLUMNS: readonly (readonly [string, string])[] = [
  [
    'nodes',
    'Name:name Status Roles Age Version Internal-IP+ External-IP+ OS-Image+ Kernel-Version+ Container-Runtime+',
  ],
  ['pods', 'Name:name Ready Status Restarts Age IP+ Node+ Nominated_Node+ Readiness_Gates+'],
  ['events', 'Last_Seen Type Reason Object Subobject+ Source+ Message First_Seen+ Count+ Name:name+'],
  [
    'events.events.k8s.io',
    'Last_Seen Type Reason Object Subobject+ Source+ Message First_Seen+ Count+ Name:name+',
  ],
  ['leases.coordination.k8s.io', 'Name:name Holder Age'],
  ['namespaces', 'Name:name Status Age'],
  ['configmaps', 'Name:name Data Age'],
  ['secrets', 'Name:name Type Data Age'],
  ['serviceaccounts', 'Name:name Secrets Age'],
  ['services', 'Name:name Type Cluster-IP External-IP Port(s) Age Selector+'],
  [
    'daemonsets.apps',
    'Name:name Desired:integer Current:integer Ready:integer Up-to-date:integer Available:integer Node_Selector Age Containers+ Images+ Selector+',
  ],
  [
    'replicasets.apps',
    'Name:name Desired:integer Current:integer Ready:integer Age Containers+ Images+ Selector+',
  ],
  [
    'replicationcontrollers',
    'Name:name Desired:integer Current:integer Ready:integer Age Containers+ Images+ Selector+',
  ],
  ['podtemplates', 'Name:name Containers Images Pod_Labels'],
  ['controllerrevisions.apps', 'Name:name Controller Revision Age'],
  ['endpoints', 'Name:name Endpoints Age'],
  ['endpointslices.discovery.k8s.io', 'Name:name AddressType Ports Endpoints Age'],
  ['limitranges', 'Name:name Created_At:date'],
  ['resourcequotas', 'Name:name Request Limit Age'],
  ['jobs.batch', 'Name:name Status Completions Duration Age Containers+ Images+ Selector+'],
  [
    'cronjobs.batch',
    'Name:name Schedule Timezone Suspend:boolean Active:integer Last_Schedule Age Containers+ Images+ Selector+',
  ],
  [
    'persistentvolumes',
    'Name:name Capacity Access_Modes Reclaim_Policy Status Claim StorageClass VolumeAttributesClass Reason Age VolumeMode+',
  ],
  [
    'persistentvolumeclaims',
    'Name:name Status Volume Capacity Access_Modes StorageClass VolumeAttributesClass Age VolumeMode+',
  ],
  [
    'storageclasses.storage.k8s.io',
    'Name:name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age',
  ],
  ['csistoragecapacities.storage.k8s.io', 'Name:name StorageClassName Capacity'],
  ['resourceclaims.resource.k8s.io', 'Name:name State Age'],
  ['resourceslices.resource.k8s.io', 'Name:name Node Driver Pool Age'],
  ['deviceclasses.resource.k8s.io', 'Name:name Age'],
  ['statefulsets.apps', 'Name:name Ready Age Containers+ Images+'],
  ['deployments.apps', 'Name:name Ready Up-to-date Available Age Containers+ Images+ Selector+'],
  ['poddisruptionbudgets.policy', 'Name:name Min_Available Max_Unavailable Allowed_Disruptions:integer Age'],
  [
    'priorityclasses.scheduling.k8s.io',
    'Name:name Value:integer Global-Default:boolean Age PreemptionPolicy',
  ],
  ['csinodes.storage.k8s.io', 'Name:name Drivers:integer Age'],
  [
    'csidrivers.storage.k8s.io',
    'Name:name AttachRequired:boolean PodInfoOnMount:boolean StorageCapacity:boolean TokenRequests RequiresRepublish:boolean Modes Age',
  ],
  ['volumeattachments.storage.k8s.io', 'Name:name Attacher:name PV Node Attached:boolean Age'],
  ['runtimeclasses.node.k8s.io', 'Name:name Handler Age'],
  [
    'nodelifecyclepolicies.rollcall.dev',
    'Name:name Zones Selector Priority:integer Nodes:integer Accepted Age Grace+ Rate+ Full_Disruption+',
  ],
  ['holds.rollcall.dev', 'Name:name Scope Stops State By Held_Nodes Until Age Reason+ Epoch+'],
  [
    'zones.rollcall.dev',
    'Name:name Zone State Nodes:integer Not_Ready:integer Rate Waiting:integer Next_Slot Last_Change Why Region+ Policies+ Next_Eviction:date+ Updated+',
  ],
  ['anything.example.com', 'Name:name Created_At:date'],
  ['nodes/proxy', 'Name:name Created_At:date'],
  ['deployments.apps/scale', 'Name Desired:integer Available:integer Age'],
];

describe('the columns', () => {
  it.each(COLUMNS)('of %s', (key, columns) => {
    expect(columnsOf(key)).toBe(columns);
  });

  it.each(COLUMNS.map(([key]) => [key]))('of %s have one cell each, also for an empty object', (key) => {
    const cells = Object.values(printed(key, objectWith({}, { creationTimestamp: null })));
    expect(cells.every((cell) => ['string', 'number', 'boolean'].includes(typeof cell))).toBe(true);
  });

  it.each(COLUMNS.map(([key]) => [key]))('of %s have a description', (key) => {
    const { columns } = printerOf(targetOf(key));
    expect(columns.every(({ description }) => description.endsWith('.'))).toBe(true);
  });
});
