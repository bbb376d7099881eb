/** Which printer a resource has. */
import {
  configMapPrinter,
  leasePrinter,
  namespacePrinter,
  secretPrinter,
  serviceAccountPrinter,
} from './configuration.ts';
import { eventPrinter } from './events.ts';
import { nodePrinter } from './nodes.ts';
import { otherPrinter } from './other.ts';
import { podPrinter } from './pods.ts';
import { disruptionBudgetPrinter, priorityClassPrinter, runtimeClassPrinter } from './policies.ts';
import type { Printer } from './printer.ts';
import { servicePrinter } from './services.ts';
import { csiDriverPrinter, csiNodePrinter, volumeAttachmentPrinter } from './storage.ts';
import {
  daemonSetPrinter,
  deploymentPrinter,
  replicaSetPrinter,
  scalePrinter,
  statefulSetPrinter,
} from './workloads.ts';
import { zonePrinter } from './zones.ts';

/** Keys are `resource.group`, `resource` in the core group. */
const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ['configmaps', configMapPrinter],
  ['events', eventPrinter],
  ['namespaces', namespacePrinter],
  ['nodes', nodePrinter],
  ['pods', podPrinter],
  ['secrets', secretPrinter],
  ['serviceaccounts', serviceAccountPrinter],
  ['services', servicePrinter],
  ['daemonsets.apps', daemonSetPrinter],
  ['deployments.apps', deploymentPrinter],
  ['replicasets.apps', replicaSetPrinter],
  ['statefulsets.apps', statefulSetPrinter],
  ['leases.coordination.k8s.io', leasePrinter],
  ['events.events.k8s.io', eventPrinter],
  ['runtimeclasses.node.k8s.io', runtimeClassPrinter],
  ['poddisruptionbudgets.policy', disruptionBudgetPrinter],
  ['zones.rollcall.dev', zonePrinter],
  ['priorityclasses.scheduling.k8s.io', priorityClassPrinter],
  ['csidrivers.storage.k8s.io', csiDriverPrinter],
  ['csinodes.storage.k8s.io', csiNodePrinter],
  ['volumeattachments.storage.k8s.io', volumeAttachmentPrinter],
]);

/** Subresources whose object is that of the resource. */
const SAME_KIND = ['', 'status', 'finalize', 'ephemeralcontainers', 'resize'];

export interface PrinterTarget {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/** The printer of a resource or subresource; that of all kinds where it has none of its own. */
export const printerOf = ({ group, resource, subresource }: PrinterTarget): Printer => {
  if (subresource === 'scale') return scalePrinter;
  if (!SAME_KIND.includes(subresource)) return otherPrinter;
  return PRINTERS.get(group === '' ? resource : `${resource}.${group}`) ?? otherPrinter;
};
