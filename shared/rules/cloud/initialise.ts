/** A Node that waits for its cloud, with what the cloud knows about its machine. Source: kubernetes v1.34 cloud-provider controllers/node. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import {
  ANNOTATION_PROVIDED_NODE_IP,
  LABEL_INSTANCE_TYPE,
  LABEL_INSTANCE_TYPE_BETA,
  LABEL_REGION,
  LABEL_REGION_BETA,
  LABEL_ZONE,
  LABEL_ZONE_BETA,
  TAINT_UNINITIALIZED,
} from '../../kube/types/well-known.ts';
import { taintsOf, withTaints } from '../nodes/taints.ts';
import type { Instance, InstanceAddress } from './instance.ts';

/** Whether the Node waits for a cloud to initialise it, whatever value and effect the taint has. */
export const isUninitialised = (node: Node): boolean =>
  taintsOf(node).some(({ key }) => key === TAINT_UNINITIALIZED);

const isKubernetes = (label: string): boolean => {
  const [prefix = ''] = label.includes('/') ? label.split('/') : [];
  return /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
};

const ownLabels = ({ instanceType, zone, region }: Instance): readonly (readonly [string, string])[] =>
  [
    [LABEL_INSTANCE_TYPE, instanceType],
    [LABEL_INSTANCE_TYPE_BETA, instanceType],
    [LABEL_ZONE, zone],
    [LABEL_ZONE_BETA, zone],
    [LABEL_REGION, region],
    [LABEL_REGION_BETA, region],
  ].flatMap(([name, value]) => (name === undefined || !value ? [] : [[name, value] as const]));

/** Labels of the provider never replace those of the Node, and are none of Kubernetes' own. */
const labelsOf = (node: Node, instance: Instance): Readonly<Record<string, string>> => {
  const present = node.metadata.labels ?? {};
  const further = Object.entries(instance.labels ?? {}).filter(
    ([name]) => !isKubernetes(name) && !Object.hasOwn(present, name),
  );
  return { ...Object.fromEntries(further), ...present, ...Object.fromEntries(ownLabels(instance)) };
};

const preferred = (
  addresses: readonly InstanceAddress[],
  nodeIp: string | undefined,
): readonly InstanceAddress[] | undefined => {
  if (nodeIp === undefined) return addresses;
  const chosen = addresses.filter(({ address }) => address === nodeIp);
  const types = new Set(chosen.map(({ type }) => type));
  const others = addresses.filter(({ type }) => !types.has(type));
  return chosen.length === 0 ? undefined : [...chosen, ...others];
};

/** The addresses of the Node: those of the cloud, and the host name that the kubelet knows. `undefined`: the cloud does not know its IP. */
const addressesOf = (node: Node, instance: Instance): readonly InstanceAddress[] | undefined => {
  const present = node.status?.addresses ?? [];
  const given = instance.addresses ?? [];
  if (given.length === 0) return present;
  const hostNames = given.some(({ type }) => type === 'Hostname')
    ? []
    : present.filter(({ type }) => type === 'Hostname').slice(0, 1);
  return preferred(
    [...given, ...hostNames],
    ownMember(node.metadata.annotations, ANNOTATION_PROVIDED_NODE_IP),
  );
};

/** The Node with providerID, labels and addresses of its machine and without the taint; `undefined` if the cloud does not know the Node's IP. */
export const initialised = (node: Node, instance: Instance): Node | undefined => {
  const addresses = addressesOf(node, instance);
  if (addresses === undefined) return undefined;
  const free = withTaints(
    node,
    taintsOf(node).filter(({ key }) => key !== TAINT_UNINITIALIZED),
  );
  return {
    ...free,
    metadata: { ...free.metadata, labels: labelsOf(node, instance) },
    spec: { ...free.spec, providerID: free.spec?.providerID || instance.providerId },
    status: { ...free.status, ...(addresses.length > 0 ? { addresses } : {}) },
  };
};
