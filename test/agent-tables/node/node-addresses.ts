import {
  type AddressPlan,
  addressesOf,
  type NodeAddress,
  planAddresses,
} from '../../../agent/rules/node/addresses.ts';
import { nodeIpFault, parseNodeIps } from '../../../agent/rules/node/node-ip.ts';
import type { ReportedNode } from '../../../agent/rules/node/reported-status.ts';
import { type Replays, replay } from '../replay.ts';

interface AddressesRow {
  readonly node: ReportedNode;
  readonly nodeIPs: readonly string[];
  readonly hostname: string;
  readonly externalCloudProvider: boolean;
  /** Empty: there is no default route. */
  readonly defaultRouteIP: string;
}

/** The recording's check refuses loopback and multicast, with a text of its own. */
const faultOf = (ip: string): string | undefined =>
  /loopback|multicast/.test(nodeIpFault(ip, []) ?? '') ? "nodeIP can't be used" : undefined;

const parsedIps = (written: readonly string[]): readonly string[] =>
  written.flatMap((ip) => {
    const parsed = parseNodeIps(ip);
    return 'ips' in parsed ? parsed.ips : [];
  });

interface Found {
  readonly addresses: readonly NodeAddress[];
  readonly error: string | null;
  readonly resolverArgument: string | null;
}

/** The name of the recorded node does not resolve, so that a search asks for the default route. */
const found = (row: AddressesRow, plan: AddressPlan): Found => {
  const { node, hostname, defaultRouteIP } = row;
  const old = node.status?.addresses ?? [];
  if (plan.kind === 'keep') return { addresses: old, error: null, resolverArgument: 'not asked' };
  if (plan.kind === 'set') return { addresses: plan.addresses, error: null, resolverArgument: 'not asked' };
  const resolverArgument = row.nodeIPs[0] ?? null;
  if (defaultRouteIP === '') {
    const error = `can't get ip address of node ${node.metadata.name}. error: no default routes found`;
    return { addresses: old, error, resolverArgument };
  }
  return { addresses: addressesOf([defaultRouteIP], hostname), error: null, resolverArgument };
};

export const TABLES: Replays = {
  'node-addresses': replay((row: AddressesRow) => {
    const { node, nodeIPs, hostname, externalCloudProvider } = row;
    const settings = {
      nodeIps: parsedIps(nodeIPs),
      hostName: hostname,
      hasExternalCloud: externalCloudProvider,
    };
    const update = planAddresses(node, settings, faultOf);
    const old = node.metadata.annotations ?? null;
    if ('error' in update)
      return {
        addresses: node.status?.addresses ?? [],
        annotations: old,
        error: update.error,
        resolverArgument: 'not asked',
      };
    return { ...found(row, update.plan), annotations: update.annotations ?? old };
  }),
  'node-ip-parse': replay(({ nodeIP }: { readonly nodeIP: string }) => {
    const parsed = parseNodeIps(nodeIP);
    if ('error' in parsed) return { error: parsed.error, ips: [], invalid: [] };
    return { error: null, ...parsed };
  }),
  'node-ip-validate': replay(({ ip }: { readonly ip: string }) => nodeIpFault(ip, []) ?? null),
};
