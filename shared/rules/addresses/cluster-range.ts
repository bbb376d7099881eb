/** The blocks into which a cluster CIDR is divided, and which of them a CIDR touches. Source: kubernetes v1.34 `cidrset`. */
import { type Cidr, cidrAround, cidrText, overlaps, parseCidr } from '../../kube/values/cidr.ts';
import type { NodeIpamConfig } from '../../settings/node-ipam.ts';

/** A cluster CIDR divided into blocks of equal size, numbered from 0. */
export interface ClusterRange {
  /** `<cluster CIDR>/<size of the mask of a block>`: stored blocks belong to the range of this name. */
  readonly name: string;
  readonly cidr: Cidr;
  readonly nodeMask: number;
  /** The number of blocks. */
  readonly size: number;
  /** Blocks that overlap the service ranges. They are given to nobody. */
  readonly reserved: readonly Blocks[];
}

/** The blocks `first` to `last` of a range. */
export interface Blocks {
  readonly first: number;
  readonly last: number;
}

type Divided = Pick<ClusterRange, 'cidr' | 'nodeMask' | 'size'>;

const widthOf = ({ cidr, nodeMask }: Divided): bigint => BigInt((cidr.family === 4 ? 32 : 128) - nodeMask);

/** The CIDR of a block. */
export const blockAt = (range: Divided, index: number): string => {
  const { cidr, nodeMask } = range;
  const number = cidr.first + (BigInt(index) << widthOf(range));
  return cidrText(cidrAround({ family: cidr.family, number }, nodeMask));
};

/** The blocks that have an address in common with the CIDR; `undefined` if it is outside of the range. */
export const blocksOf = (range: Divided, cidr: Cidr): Blocks | undefined => {
  if (!overlaps(range.cidr, cidr)) return undefined;
  const indexOf = (number: bigint): number => Number((number - range.cidr.first) >> widthOf(range));
  return {
    first: Math.max(0, indexOf(cidr.first)),
    last: Math.min(range.size - 1, indexOf(cidr.last)),
  };
};

/** The ranges of a configuration, in the order in which Nodes get their podCIDRs. Throws if it is not a valid one. */
export const clusterRanges = ({
  clusterCidrs,
  nodeMasks,
  serviceRanges,
}: NodeIpamConfig): readonly ClusterRange[] =>
  clusterCidrs.map((text, place) => {
    const cidr = parseCidr(text);
    const nodeMask = nodeMasks[place];
    if (!cidr || nodeMask === undefined) throw new Error(`the cluster CIDR ${text} is not valid`);
    const range = { cidr, nodeMask, size: 2 ** (nodeMask - cidr.mask) };
    const services = serviceRanges.flatMap((service) => parseCidr(service) ?? []);
    const reserved = services.flatMap((service) => blocksOf(range, service) ?? []);
    return { name: `${cidrText(cidr)}/${nodeMask}`, ...range, reserved };
  });
