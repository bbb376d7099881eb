/** How NetworkPolicies behave. Source: networking v1.34 `SetDefaults_NetworkPolicy`, validation `ValidateNetworkPolicy`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import '../../kube/schema/rare-messages.ts';
import type { LabelSelector } from '../../kube/types/meta.ts';
import { parseCidr } from '../../kube/values/cidr.ts';
import { ignored } from '../contract/ignored.ts';
import { countedSpec, storedObject, type WithSpec } from '../contract/stored-object.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { portNameFaults, portNumberFaults } from '../fields/ports.ts';

interface PolicyPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

interface Peer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr?: string; readonly except?: readonly string[] };
}

interface PolicyRule {
  readonly ports?: readonly PolicyPort[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}

interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector;
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
  readonly policyTypes?: readonly string[];
  readonly [field: string]: unknown;
}

type NetworkPolicy = WithSpec<NetworkPolicySpec>;

const DIRECTIONS = ['Egress', 'Ingress'] as const;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;

const withProtocols = (rules: readonly PolicyRule[]): readonly PolicyRule[] =>
  rules.map((rule) =>
    rule.ports ? { ...rule, ports: rule.ports.map((port) => ({ protocol: 'TCP', ...port })) } : rule,
  );

const defaultSpec = ({ ingress, egress, policyTypes, ...spec }: NetworkPolicySpec): NetworkPolicySpec => ({
  podSelector: {},
  ...spec,
  ...(ingress ? { ingress: withProtocols(ingress) } : {}),
  ...(egress ? { egress: withProtocols(egress) } : {}),
  policyTypes: policyTypes ?? ['Ingress', ...(egress && egress.length > 0 ? ['Egress'] : [])],
});

const portValueFaults = (port: number | string, at: string): readonly FieldError[] =>
  (typeof port === 'number' ? portNumberFaults(port) : portNameFaults(port)).map((fault) =>
    invalidValue(`${at}.port`, port, fault),
  );

const endFaults = ({ port, endPort = 0 }: PolicyPort, at: string): readonly FieldError[] => {
  if (port === undefined)
    return [invalidValue(`${at}.endPort`, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string')
    return [invalidValue(`${at}.endPort`, endPort, 'may not be specified when `port` is non-numeric')];
  return endPort < port
    ? [invalidValue(`${at}.endPort`, endPort, 'must be greater than or equal to `port`')]
    : portNumberFaults(endPort).map((fault) => invalidValue(`${at}.endPort`, endPort, fault));
};

const portFaults = (port: PolicyPort, at: string): readonly FieldError[] => {
  const { protocol = '' } = port;
  return [
    ...((PROTOCOLS as readonly string[]).includes(protocol)
      ? []
      : [notSupported(`${at}.protocol`, protocol, PROTOCOLS)]),
    ...(port.port === undefined ? [] : portValueFaults(port.port, at)),
    ...(port.endPort === undefined ? [] : endFaults(port, at)),
  ];
};

const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

const blockFaults = (
  { cidr = '', except = [] }: NonNullable<Peer['ipBlock']>,
  at: string,
): readonly FieldError[] => {
  const around = parseCidr(cidr);
  if (cidr === '') return [required(`${at}.cidr`)];
  if (!around) return [invalidValue(`${at}.cidr`, cidr, NO_CIDR)];
  return except.flatMap((text, index) => {
    const inner = parseCidr(text);
    if (!inner) return [invalidValue(`${at}.except[${index}]`, text, NO_CIDR)];
    const isWithin =
      inner.family === around.family && inner.first >= around.first && inner.last <= around.last;
    return isWithin && inner.mask > around.mask
      ? []
      : [invalidValue(`${at}.except[${index}]`, text, `must be a strict subset of \`cidr\``)];
  });
};

const peerFaults = ({ podSelector, namespaceSelector, ipBlock }: Peer, at: string): readonly FieldError[] => {
  if (!podSelector && !namespaceSelector && !ipBlock) return [required(at, 'must specify a peer')];
  if (ipBlock && (podSelector || namespaceSelector))
    return [forbiddenField(at, 'may not specify both ipBlock and another peer')];
  return [
    ...validateSelector(podSelector, `${at}.podSelector`),
    ...validateSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...(ipBlock ? blockFaults(ipBlock, `${at}.ipBlock`) : []),
  ];
};

const ruleFaults = (rules: readonly PolicyRule[], at: string, peers: 'from' | 'to'): readonly FieldError[] =>
  rules.flatMap((rule, index) => [
    ...(rule.ports ?? []).flatMap((port, place) => portFaults(port, `${at}[${index}].ports[${place}]`)),
    ...(rule[peers] ?? []).flatMap((peer, place) => peerFaults(peer, `${at}[${index}].${peers}[${place}]`)),
  ]);

const typeFaults = (types: readonly string[]): readonly FieldError[] =>
  types.length > DIRECTIONS.length
    ? [invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes')]
    : types
        .filter((type) => !(DIRECTIONS as readonly string[]).includes(type))
        .map((type) => notSupported('spec.policyTypes', type, DIRECTIONS));

/** How NetworkPolicies behave. */
export const networkPolicyStrategy = storedObject<NetworkPolicy>(
  {
    kind: {
      group: 'networking.k8s.io',
      version: 'v1',
      kind: 'NetworkPolicy',
      resource: 'networkpolicies',
      namespaced: true,
    },
    message: 'networking.v1.NetworkPolicy',
    rules: ({ spec = {} }) => [
      ...validateSelector(spec.podSelector, 'spec.podSelector'),
      ...ruleFaults(spec.ingress ?? [], 'spec.ingress', 'from'),
      ...ruleFaults(spec.egress ?? [], 'spec.egress', 'to'),
      ...typeFaults(spec.policyTypes ?? []),
    ],
  },
  {
    ...countedSpec<NetworkPolicy>(),
    ...ignored('NetworkPolicy', 'pods reach each other as if it were not there'),
    defaults: (policy) => ({ ...policy, spec: defaultSpec(policy.spec ?? {}) }),
  },
);
