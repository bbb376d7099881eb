/** Where the server of a node listens, and how it is known. */
import type { Node } from '../../kube/types/core.ts';
import { SERVING_CERTIFICATE_ANNOTATION } from './serving-certificate.ts';

/** The most preferred first. */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS', 'Hostname'] as const;
/** More are not tried. */
const MOST_ADDRESSES = 8;

/** The server of a node. `addresses`: the most preferred first; none if nobody has said one. */
export interface NodeEndpoint {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly fingerprint: string;
}

const portOf = ({ status }: Node): unknown =>
  (status?.['daemonEndpoints'] as { readonly kubeletEndpoint?: { readonly Port?: unknown } } | undefined)
    ?.kubeletEndpoint?.Port;

const addressesOf = ({ status }: Node): readonly string[] =>
  ADDRESS_TYPES.flatMap((type) =>
    (status?.addresses ?? []).filter((one) => one.type === type).map(({ address }) => address),
  );

/** The endpoint, or why there is none. Without a fingerprint the node is not asked: anybody could answer at its address. */
export const endpointOf = (node: Node): NodeEndpoint | { readonly fault: string } => {
  const { name, annotations } = node.metadata;
  const port = portOf(node);
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    return {
      fault: `node ${name} has no server for logs and exec: its status has no daemonEndpoints.kubeletEndpoint.Port`,
    };
  const fingerprint = annotations?.[SERVING_CERTIFICATE_ANNOTATION] ?? '';
  if (!/^[0-9a-f]{64}$/.test(fingerprint))
    return {
      fault: `node ${name} has not told its certificate (annotation ${SERVING_CERTIFICATE_ANNOTATION}): logs and exec need a node of Rollcall's agent`,
    };
  return { addresses: [...new Set(addressesOf(node))].slice(0, MOST_ADDRESSES), port, fingerprint };
};
