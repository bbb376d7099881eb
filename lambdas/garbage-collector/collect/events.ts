import type { OwnerReference } from '../../../shared/kube/types/meta.ts';
import type { EventText } from '../../../shared/ports/process/event-recorder.ts';

/** Source: kubernetes v1.34 garbagecollector `reportInvalidNamespaceOwnerRef`. */
export const invalidNamespace = (
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): EventText => ({
  type: 'Warning',
  reason: 'OwnerRefInvalidNamespace',
  message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
  component: 'garbage-collector-controller',
});
