/** The `--node-ip` of a node: what was written, and whether it is fit for use. Source: kubernetes v1.34 pkg/util/node, pkg/kubelet. */
import { canonicalIp, familyOf, type IpKind, ipKind } from '../machine/ip-kind.ts';

/** Whether the address stands for any address of its family: `0.0.0.0`, `::`. */
export const isUnspecified = (ip: string): boolean => ipKind(ip) === 'unspecified';

export type NodeIps =
  | {
      /** At most two, of different families, in canonical form. */
      readonly ips: readonly string[];
      /** Entries that are no addresses. They are left out and only told. */
      readonly invalid: readonly string[];
    }
  | { readonly error: string };

const SINGLE_OR_PAIR = 'must contain either a single IP or a dual-stack pair of IPs';
const NO_WILDCARD_IN_PAIR = "dual-stack node IP cannot include '0.0.0.0' or '::'";

const pairFault = (ips: readonly string[]): string | undefined => {
  if (ips.length < 2) return undefined;
  const families = new Set(ips.map(familyOf));
  if (ips.length > 2 || families.size < 2) return SINGLE_OR_PAIR;
  return ips.some(isUnspecified) ? NO_WILDCARD_IN_PAIR : undefined;
};

/** Parses a `--node-ip`: addresses with commas between them; leading zeros are tolerated in IPv4. */
export const parseNodeIps = (argument: string): NodeIps => {
  const entries = argument === '' ? [] : argument.split(',').map((entry) => entry.trim());
  const ips = entries.flatMap((entry) => canonicalIp(entry) ?? []);
  const error = pairFault(ips);
  if (error !== undefined) return { error };
  return { ips, invalid: entries.filter((entry) => canonicalIp(entry) === undefined) };
};

const UNFIT: Partial<Record<IpKind, string>> = {
  loopback: "nodeIP can't be loopback address",
  multicast: "nodeIP can't be a multicast address",
  'link-local': "nodeIP can't be a link-local unicast address",
  unspecified: "nodeIP can't be an all zeros address",
};

/** Why the address can be no node's address; `hostAddresses` are those of the machine's interfaces. `undefined`: it is fit. */
export const nodeIpFault = (ip: string, hostAddresses: readonly string[]): string | undefined => {
  const text = canonicalIp(ip);
  const kind = ipKind(ip);
  if (text === undefined || kind === undefined) return 'nodeIP must be a valid IP address';
  const unfit = UNFIT[kind];
  if (unfit !== undefined) return unfit;
  if (hostAddresses.some((host) => canonicalIp(host) === text)) return undefined;
  return `node IP: "${text}" not found in the host's network interfaces`;
};
