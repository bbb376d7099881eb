/** The addresses of the Node, with what only the network can tell. Source: kubernetes v1.34 pkg/kubelet/nodestatus `NodeAddress`. */

import type { MachineSource } from '../ports/machine/machine-source.ts';
import { defaultAddress } from '../rules/machine/routes.ts';
import {
  type AddressSettings,
  addressesOf,
  type NodeAddress,
  planAddresses,
  preferredAddress,
} from '../rules/node/addresses.ts';
import { nodeIpFault } from '../rules/node/node-ip.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';

type Network = Pick<MachineSource, 'interfaces' | 'defaultRoutes' | 'lookUp'>;

export interface FoundAddresses {
  /** Absent: those that the Node has stay. */
  readonly addresses?: readonly NodeAddress[];
  /** Absent: those that the Node has stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly error?: string;
}

type FaultOf = (ip: string) => string | undefined;

/** By the Node's name, else by the default route. */
const search = async (
  nodeName: string,
  family: 4 | 6,
  network: Network,
  faultOf: FaultOf,
): Promise<{ readonly address: string } | { readonly error: string }> => {
  const byName = preferredAddress(await network.lookUp(nodeName), family, faultOf);
  if (byName !== undefined) return { address: byName };
  return defaultAddress(await network.defaultRoutes(), network.interfaces(), family);
};

/** What the Node's addresses and annotations are to be. An error leaves the addresses as they are. */
export const findAddresses = async (
  node: ReportedNode,
  settings: AddressSettings,
  network: Network,
): Promise<FoundAddresses> => {
  const own = network.interfaces().flatMap(({ addresses }) => addresses);
  const faultOf: FaultOf = (ip) => nodeIpFault(ip, own);
  const update = planAddresses(node, settings, faultOf);
  if ('error' in update) return { error: update.error };
  const { plan, annotations } = update;
  const kept = annotations && { annotations };
  if (plan.kind === 'keep') return { ...kept };
  if (plan.kind === 'set') return { ...kept, addresses: plan.addresses };
  const { name } = node.metadata;
  const found = await search(name, plan.family, network, faultOf);
  if ('error' in found)
    return { ...kept, error: `can't get ip address of node ${name}. error: ${found.error}` };
  return { ...kept, addresses: addressesOf([found.address], settings.hostName) };
};
