/** Finds the printer of a resource. */
import {
  configMapPrinter,
  leasePrinter,
  namespacePrinter,
  secretPrinter,
  serviceAccountPrinter,
} from '../../kinds/cluster/columns-of-configuration.ts';
import { eventPrinter } from '../../kinds/cluster/columns-of-events.ts';
import { resourceQuotaPrinter } from '../../kinds/cluster/columns-of-quotas.ts';
import type { Printer } from '../../kinds/fields/column.ts';
import { otherPrinter } from '../../kinds/fields/other.ts';
import { cronJobPrinter, jobPrinter } from '../../kinds/jobs/columns-of-jobs.ts';
import {
  ingressClassPrinter,
  ingressPrinter,
  networkPolicyPrinter,
} from '../../kinds/networking/columns-of-networking.ts';
import { nodePrinter } from '../../kinds/nodes/columns-of-nodes.ts';
import { relayPrinter } from '../../kinds/nodes/columns-of-relays.ts';
import { zonePrinter } from '../../kinds/nodes/columns-of-zones.ts';
import { podPrinter } from '../../kinds/pods/columns-of-pods.ts';
import { holdPrinter } from '../../kinds/policies/columns-of-holds.ts';
import { lifecyclePolicyPrinter } from '../../kinds/policies/columns-of-lifecycle-policies.ts';
import { nodeMaintenancePrinter } from '../../kinds/policies/columns-of-maintenances.ts';
import {
  disruptionBudgetPrinter,
  priorityClassPrinter,
  runtimeClassPrinter,
} from '../../kinds/policies/columns-of-policies.ts';
import { endpointSlicePrinter, endpointsPrinter } from '../../kinds/services/columns-of-endpoints.ts';
import { servicePrinter } from '../../kinds/services/columns-of-services.ts';
import {
  deviceClassPrinter,
  resourceClaimPrinter,
  resourceSlicePrinter,
} from '../../kinds/storage/columns-of-devices.ts';
import {
  csiDriverPrinter,
  csiNodePrinter,
  volumeAttachmentPrinter,
} from '../../kinds/storage/columns-of-storage.ts';
import {
  persistentVolumePrinter,
  storageCapacityPrinter,
  storageClassPrinter,
  volumeClaimPrinter,
} from '../../kinds/storage/columns-of-volumes.ts';
import {
  controllerRevisionPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  podTemplatePrinter,
  replicaSetPrinter,
  replicationControllerPrinter,
  scalePrinter,
  statefulSetPrinter,
} from '../../kinds/workloads/columns-of-workloads.ts';

/** Printers by `resource.group`, or by `resource` in the core group. */
const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ['configmaps', configMapPrinter],
  ['endpoints', endpointsPrinter],
  ['events', eventPrinter],
  ['namespaces', namespacePrinter],
  ['nodes', nodePrinter],
  ['persistentvolumeclaims', volumeClaimPrinter],
  ['persistentvolumes', persistentVolumePrinter],
  ['pods', podPrinter],
  ['podtemplates', podTemplatePrinter],
  ['replicationcontrollers', replicationControllerPrinter],
  ['resourcequotas', resourceQuotaPrinter],
  ['secrets', secretPrinter],
  ['serviceaccounts', serviceAccountPrinter],
  ['services', servicePrinter],
  ['controllerrevisions.apps', controllerRevisionPrinter],
  ['daemonsets.apps', daemonSetPrinter],
  ['deployments.apps', deploymentPrinter],
  ['replicasets.apps', replicaSetPrinter],
  ['statefulsets.apps', statefulSetPrinter],
  ['cronjobs.batch', cronJobPrinter],
  ['jobs.batch', jobPrinter],
  ['leases.coordination.k8s.io', leasePrinter],
  ['endpointslices.discovery.k8s.io', endpointSlicePrinter],
  ['events.events.k8s.io', eventPrinter],
  ['ingressclasses.networking.k8s.io', ingressClassPrinter],
  ['ingresses.networking.k8s.io', ingressPrinter],
  ['networkpolicies.networking.k8s.io', networkPolicyPrinter],
  ['runtimeclasses.node.k8s.io', runtimeClassPrinter],
  ['poddisruptionbudgets.policy', disruptionBudgetPrinter],
  ['deviceclasses.resource.k8s.io', deviceClassPrinter],
  ['resourceclaims.resource.k8s.io', resourceClaimPrinter],
  ['resourceslices.resource.k8s.io', resourceSlicePrinter],
  ['holds.rollcall.dev', holdPrinter],
  ['nodelifecyclepolicies.rollcall.dev', lifecyclePolicyPrinter],
  ['relays.rollcall.dev', relayPrinter],
  ['zones.rollcall.dev', zonePrinter],
  ['nodemaintenances.rollcall.dev', nodeMaintenancePrinter],
  ['priorityclasses.scheduling.k8s.io', priorityClassPrinter],
  ['csidrivers.storage.k8s.io', csiDriverPrinter],
  ['csinodes.storage.k8s.io', csiNodePrinter],
  ['csistoragecapacities.storage.k8s.io', storageCapacityPrinter],
  ['storageclasses.storage.k8s.io', storageClassPrinter],
  ['volumeattachments.storage.k8s.io', volumeAttachmentPrinter],
]);

/** Subresources that answer with the resource's own kind. */
const SAME_KIND = ['', 'status', 'finalize', 'ephemeralcontainers', 'resize'];

/** The resource or subresource that is printed. */
export interface PrinterTarget {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/** The printer of a resource or subresource; the default printer if it has none of its own. */
export const printerOf = ({ group, resource, subresource }: PrinterTarget): Printer => {
  if (subresource === 'scale') return scalePrinter;
  if (!SAME_KIND.includes(subresource)) return otherPrinter;
  return PRINTERS.get(group === '' ? resource : `${resource}.${group}`) ?? otherPrinter;
};
