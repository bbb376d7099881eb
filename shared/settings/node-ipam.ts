/** The settings of node-ipam, named after kube-controller-manager's flags, and what makes them invalid. */
import { type Cidr, parseCidr } from '../kube/values/cidr.ts';
import { DEFAULTS } from './defaults.ts';

/** Ranges from which Nodes get their podCIDRs. */
export interface NodeIpamConfig {
  /** One CIDR, or one for each family. Kubernetes: `--cluster-cidr`. */
  readonly clusterCidrs: readonly string[];
  /** Size of the mask of a Node's block, in the order of `clusterCidrs`. Kubernetes: `--node-cidr-mask-size…`. */
  readonly nodeMasks: readonly number[];
  /** Blocks that overlap these are given to nobody. Kubernetes: `--service-cluster-ip-range`. */
  readonly serviceRanges: readonly string[];
}

/** The settings as the user gave them. */
export interface NodeIpamSettings {
  /** Absent: blocks are allocated if there is a cluster CIDR. */
  readonly allocateNodeCidrs: 'true' | 'false' | undefined;
  /** Comma-separated. */
  readonly clusterCidr: string | undefined;
  readonly serviceClusterIpRange: string | undefined;
  readonly nodeCidrMaskSize: number | undefined;
  readonly nodeCidrMaskSizeIpv4: number | undefined;
  readonly nodeCidrMaskSizeIpv6: number | undefined;
}

/** Kubernetes' default sizes of the masks of blocks. */
const DEFAULT_MASKS = { 4: 24, 6: 64 } as const;
/** An IPv6 range may have at most 2^16 blocks. Source: kubernetes v1.34 pkg/controller/nodeipam `clusterSubnetMaxDiff`. */
const MOST_IPV6_BITS = 16;

/** Whether the settings switch node-ipam on. */
const isOn = ({ allocateNodeCidrs, clusterCidr }: NodeIpamSettings): boolean =>
  allocateNodeCidrs === undefined ? clusterCidr !== undefined : allocateNodeCidrs === 'true';

const listOf = (given: string | undefined): readonly string[] =>
  (given ?? '').split(',').map((one) => one.trim());

type Fault = readonly [setting: keyof NodeIpamSettings, text: string];

const invalidCidrs = (setting: 'clusterCidr' | 'serviceClusterIpRange', given: string | undefined): Fault[] =>
  listOf(given).flatMap((text, index): Fault[] =>
    parseCidr(text)
      ? []
      : [
          [
            setting,
            `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${text}); give for example 10.244.0.0/16`,
          ],
        ],
  );

const cidrsOf = (given: string | undefined): readonly Cidr[] =>
  listOf(given).flatMap((text) => parseCidr(text) ?? []);

/** The recorded text lacks its closing parenthesis. */
const familyFaults = (
  setting: 'clusterCidr' | 'serviceClusterIpRange',
  name: string,
  cidrs: readonly Cidr[],
): Fault[] => {
  if (cidrs.length < 2) return [];
  const isDual = cidrs.length === 2 && new Set(cidrs.map(({ family }) => family)).size === 2;
  if (isDual) return [];
  return [
    [
      setting,
      `len of ${name}==${cidrs.length} and they are not configured as dual stack (at least one from each IPFamily`,
    ],
  ];
};

const SIZES_EXCLUDE_EACH_OTHER =
  'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags';

/** Sizes that do not go with the families of the cluster. Source: kubernetes v1.34 `setNodeCIDRMaskSizes`. */
const sizeFaults = (
  { nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 }: NodeIpamSettings,
  cidrs: readonly Cidr[],
): Fault[] => {
  const [first, second] = cidrs;
  const isGeneral = nodeCidrMaskSize !== undefined;
  if (second)
    return isGeneral
      ? [['nodeCidrMaskSize', 'usage of --node-cidr-mask-size is not allowed with dual-stack clusters']]
      : [];
  if (isGeneral && (nodeCidrMaskSizeIpv4 !== undefined || nodeCidrMaskSizeIpv6 !== undefined))
    return [['nodeCidrMaskSize', SIZES_EXCLUDE_EACH_OTHER]];
  const notFor = (flag: string, family: string): string =>
    `usage of --node-cidr-mask-size-${flag} is not allowed for a single-stack ${family} cluster`;
  return [
    ...(first?.family === 6 && nodeCidrMaskSizeIpv4 !== undefined
      ? [['nodeCidrMaskSizeIpv4', notFor('ipv4', 'IPv6')] as const]
      : []),
    ...(first?.family === 4 && nodeCidrMaskSizeIpv6 !== undefined
      ? [['nodeCidrMaskSizeIpv6', notFor('ipv6', 'IPv4')] as const]
      : []),
  ];
};

const maskOf = (settings: NodeIpamSettings, { family }: Cidr): number =>
  settings.nodeCidrMaskSize ??
  (family === 4 ? settings.nodeCidrMaskSizeIpv4 : settings.nodeCidrMaskSizeIpv6) ??
  DEFAULT_MASKS[family];

const blockFaults = (settings: NodeIpamSettings, cidrs: readonly Cidr[]): Fault[] =>
  cidrs.flatMap((cidr): Fault[] => {
    const bits = maskOf(settings, cidr) - cidr.mask;
    if (bits < 0 || maskOf(settings, cidr) > (cidr.family === 4 ? 32 : 128))
      return [
        [
          'clusterCidr',
          'Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family',
        ],
      ];
    if (cidr.family === 6 && bits > MOST_IPV6_BITS)
      return [['clusterCidr', 'New CIDR set failed; the node CIDR size is too big']];
    return [];
  });

const faultsOf = (settings: NodeIpamSettings): readonly Fault[] => {
  const { clusterCidr, serviceClusterIpRange } = settings;
  const services = serviceClusterIpRange === undefined ? [] : cidrsOf(serviceClusterIpRange);
  const unreadable = [
    ...invalidCidrs('clusterCidr', clusterCidr),
    ...(serviceClusterIpRange === undefined
      ? []
      : invalidCidrs('serviceClusterIpRange', serviceClusterIpRange)),
  ];
  if (unreadable.length > 0) return unreadable;
  const cidrs = cidrsOf(clusterCidr);
  const unfit = [
    ...familyFaults('clusterCidr', 'ClusterCIDRs', cidrs),
    ...familyFaults('serviceClusterIpRange', 'ServiceClusterIPRanges', services),
    ...sizeFaults(settings, cidrs),
  ];
  return unfit.length > 0 ? unfit : blockFaults(settings, cidrs);
};

const serviceFaults = ({ serviceClusterIpRange: given }: NodeIpamSettings): readonly Fault[] => {
  if (given === undefined) return [];
  const unreadable = invalidCidrs('serviceClusterIpRange', given);
  return unreadable.length > 0
    ? unreadable
    : familyFaults('serviceClusterIpRange', 'ServiceClusterIPRanges', cidrsOf(given));
};

/**
 * Why kube-controller-manager would refuse to start with these settings, each with the setting's name. The ranges of Services are checked without
 * node-ipam, too, because Services get their addresses from them.
 */
export const nodeIpamFaults = (settings: NodeIpamSettings): readonly string[] =>
  (isOn(settings) ? faultsOf(settings) : serviceFaults(settings)).map(
    ([setting, text]) => `${setting}: ${text}`,
  );

/** The ranges of the cluster IPs of Services, for valid settings. */
export const serviceRangesOf = ({
  serviceClusterIpRange: given,
}: Pick<NodeIpamSettings, 'serviceClusterIpRange'>): readonly string[] =>
  given === undefined ? DEFAULTS.serviceRanges : listOf(given);

/** The configuration for valid settings; `undefined` if node-ipam is off. */
export const nodeIpamConfig = (settings: NodeIpamSettings): NodeIpamConfig | undefined => {
  if (!isOn(settings)) return undefined;
  const { clusterCidr, serviceClusterIpRange } = settings;
  return {
    clusterCidrs: listOf(clusterCidr),
    nodeMasks: cidrsOf(clusterCidr).map((cidr) => maskOf(settings, cidr)),
    serviceRanges: serviceClusterIpRange === undefined ? [] : listOf(serviceClusterIpRange),
  };
};
