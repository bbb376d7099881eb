import { defaultNode } from '../../kube/defaults/node.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Node } from '../../kube/types/core.ts';
import { type Address, addressText, isMapped, parseAddress, WIDTHS } from '../../kube/values/ip.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { withoutCancelledDrain } from '../../rules/drain/drain-annotations.ts';
import { withShutdownRecordOf } from '../../rules/shutdown/shutdown-report.ts';
import { admitNode } from '../admission/admission.ts';
import { TOKEN_EXPIRY_ANNOTATION } from '../admission/node-annotations.ts';
import type { Strategy } from '../contract/strategy.ts';
import { validateNode, validateNodeUpdate } from './validate-node.ts';

interface Cidr {
  readonly address: Address;
  readonly network: bigint;
  readonly bits: number;
  readonly isStrict: boolean;
}

const keepExpiry = (after: Node, before: Node | undefined): Node => ({
  ...after,
  metadata: withAnnotation(
    after.metadata,
    TOKEN_EXPIRY_ANNOTATION,
    before?.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION],
  ),
});

/** Annotations that subresources write stay as they are. */
const keepOwn = (after: Node, before: Node | undefined): Node =>
  withShutdownRecordOf(keepExpiry(after, before), before);

const withoutConfigSource = (node: Node): Node => {
  const { configSource: _dropped, ...spec } = (node.spec ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, spec };
};

// `spec.configSource` is dropped: Kubernetes removed kubelet configuration by the API.
const withoutConfig = (node: Node): Node => {
  const { config: _dropped, ...status } = (node.status ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, status };
};

const parseCidr = (value: string): Cidr | undefined => {
  const [text = '', bits = '', ...rest] = value.split('/');
  const address = parseAddress(text);
  if (!address || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const free = WIDTHS[address.family] - Number(bits);
  if (free < 0) return undefined;
  const network = (address.number >> BigInt(free)) << BigInt(free);
  const isStrict = address.isStrict && bits === String(Number(bits)) && !isMapped(address);
  return { address, network, bits: Number(bits), isStrict };
};

// Go prints an IPv4-mapped network as IPv4.
const networkText = ({ address, network, bits }: Cidr): string => {
  const net = { family: address.family, number: network };
  return `${addressText(net)}/${isMapped(net) ? Math.max(0, bits - 96) : bits}`;
};

const oddities = (value: string, cidr: Cidr): readonly string[] => {
  const { address, network, isStrict } = cidr;
  const [given, net] = [JSON.stringify(value), networkText(cidr)];
  const single = `${addressText(address)}/${WIDTHS[address.family]}`;
  return [
    ...(address.number === network
      ? []
      : [`CIDR value ${given} is ambiguous in this context (should be "${net}" or "${single}"?)`]),
    ...(isStrict
      ? []
      : [
          `non-standard CIDR value ${given} will be considered invalid in a future Kubernetes release: use "${net}"`,
        ]),
  ];
};

/** Warnings about a valid CIDR in unusual form. Source: apimachinery v1.34 `GetWarningsForCIDR`. */
export const cidrWarnings = (field: string, value: string): readonly string[] => {
  const cidr = parseCidr(value);
  if (!cidr) return [];
  const found = oddities(value, cidr);
  const canonical = networkText(cidr);
  const texts =
    found.length === 0 && cidr.address.family === 6 && canonical !== value
      ? [`IPv6 CIDR value ${JSON.stringify(value)} should be in RFC 5952 canonical format ("${canonical}")`]
      : found;
  return texts.map((text) => `${field}: ${text}`);
};

/** Warnings about a valid Node. Source: registry v1.34 `core/node/strategy.go`. */
export const nodeWarnings = ({ spec = {} }: Node): readonly string[] => [
  ...((spec as { readonly externalID?: string }).externalID
    ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
    : []),
  ...(spec.podCIDRs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
];

/** How Nodes behave. */
export const nodeStrategy: Strategy<Node> = {
  kind: { group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false },
  schema: kindSchema('core.v1.Node'),
  defaults: defaultNode,
  forCreate: (node) => withoutConfig(withoutConfigSource(keepOwn(node, undefined))),
  forUpdate: (after, before) =>
    withoutConfigSource(
      keepOwn(withoutCancelledDrain({ ...after, status: before.status ?? {} }, before), before),
    ),
  forStatusUpdate: (after, before) => withoutConfig(keepOwn({ ...after, spec: before.spec ?? {} }, before)),
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  warnings: nodeWarnings,
  updateWarnings: nodeWarnings,
  admit: admitNode,
  fields: ({ spec }) => ({ 'spec.unschedulable': String(spec?.unschedulable === true) }),
};
