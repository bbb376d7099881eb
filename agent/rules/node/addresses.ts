/** The addresses of a Node. Source: kubernetes v1.34 pkg/kubelet/nodestatus `NodeAddress`. */
import { ANNOTATION_PROVIDED_NODE_IP } from '../../../shared/kube/types/well-known.ts';
import { canonicalIp, familyOf } from '../machine/ip-kind.ts';
import { isUnspecified } from './node-ip.ts';
import type { ReportedNode } from './reported-status.ts';

export interface AddressSettings {
  /** As `parseNodeIps` gives them: none, one, or two of different families. */
  readonly nodeIps: readonly string[];
  readonly hostName: string;
  readonly hasExternalCloud: boolean;
}

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

/** What becomes of the addresses. `search`: only the network can tell the address. */
export type AddressPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'set'; readonly addresses: readonly NodeAddress[] }
  | {
      readonly kind: 'search';
      /** The family that is preferred. */
      readonly family: 4 | 6;
    };

export interface AddressUpdate {
  /** The Node's annotations from now on; absent: unchanged. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly plan: AddressPlan;
}

const hostNameOf = (hostName: string): NodeAddress => ({ type: 'Hostname', address: hostName });
const internal = (address: string): NodeAddress => ({ type: 'InternalIP', address });

/** The addresses of a node that has these IPs. */
export const addressesOf = (ips: readonly string[], hostName: string): readonly NodeAddress[] => [
  ...ips.map(internal),
  hostNameOf(hostName),
];

const isConcrete = (ip: string | undefined): ip is string => ip !== undefined && !isUnspecified(ip);

/** The IPs that the user chose: one or both, if the first of them is a real one. */
const chosenIps = ([first, second]: readonly string[]): readonly string[] => {
  if (!isConcrete(first)) return [];
  return isConcrete(second) ? [first, second] : [first];
};

const NAMES = ['nodeIP', 'secondaryNodeIP'] as const;

/** The first address that `faultOf` does not want. `0.0.0.0` and `::` are none. */
const faultIn = (
  nodeIps: readonly string[],
  faultOf: (ip: string) => string | undefined,
): string | undefined => {
  for (const [index, name] of NAMES.entries()) {
    const ip = nodeIps[index];
    const fault = isConcrete(ip) ? faultOf(ip) : undefined;
    if (fault !== undefined) return `failed to validate ${name}: ${fault}`;
  }
  return undefined;
};

const annotationsFor = (
  { metadata: { annotations } }: ReportedNode,
  { hasExternalCloud }: AddressSettings,
  chosen: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (hasExternalCloud && chosen.length > 0)
    return { ...annotations, [ANNOTATION_PROVIDED_NODE_IP]: chosen.join(',') };
  if (!annotations || !Object.hasOwn(annotations, ANNOTATION_PROVIDED_NODE_IP)) return undefined;
  const { [ANNOTATION_PROVIDED_NODE_IP]: _, ...others } = annotations;
  return others;
};

const planFor = (
  node: ReportedNode,
  { nodeIps, hostName, hasExternalCloud }: AddressSettings,
  chosen: readonly string[],
): AddressPlan => {
  if (hasExternalCloud && (node.status?.addresses ?? []).length > 0) return { kind: 'keep' };
  if (hasExternalCloud && nodeIps.length === 0) return { kind: 'set', addresses: [hostNameOf(hostName)] };
  if (chosen.length > 0) return { kind: 'set', addresses: addressesOf(chosen, hostName) };
  const asAddress = canonicalIp(hostName);
  if (asAddress !== undefined) return { kind: 'set', addresses: addressesOf([asAddress], hostName) };
  const [first] = nodeIps;
  return { kind: 'search', family: familyOf(first ?? '') ?? 4 };
};

/**
 * What becomes of the Node's addresses and of the annotation for its cloud. `faultOf` is `nodeIpFault` on this machine. An error
 * leaves the Node as it is.
 */
export const planAddresses = (
  node: ReportedNode,
  settings: AddressSettings,
  faultOf: (ip: string) => string | undefined,
): AddressUpdate | { readonly error: string } => {
  const error = faultIn(settings.nodeIps, faultOf);
  if (error !== undefined) return { error };
  const chosen = chosenIps(settings.nodeIps);
  const annotations = annotationsFor(node, settings, chosen);
  return { plan: planFor(node, settings, chosen), ...(annotations && { annotations }) };
};

/** Of the addresses that the Node's name resolves to: the first fit one of the family, else the first fit one. */
export const preferredAddress = (
  resolved: readonly string[],
  family: 4 | 6,
  faultOf: (ip: string) => string | undefined,
): string | undefined => {
  const fit = resolved.filter((ip) => faultOf(ip) === undefined);
  return fit.find((ip) => familyOf(ip) === family) ?? fit[0];
};
