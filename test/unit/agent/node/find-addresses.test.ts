import { describe, expect, it } from 'vitest';
import { findAddresses } from '../../../../agent/node/fill-status.ts';
import type { ReportedNode } from '../../../../agent/rules/node/reported-status.ts';

const NODE: ReportedNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };

const network = (resolved: readonly string[], hasRoute = true) => ({
  lookUp: async () => resolved,
  interfaces: () => [
    { name: 'lo', isLoopback: true, addresses: ['127.0.0.1', '::1'] },
    { name: 'eth0', isLoopback: false, addresses: ['192.0.2.2', 'fd00::2'] },
  ],
  defaultRoutes: async () => (hasRoute ? [{ family: 4, interfaceName: 'eth0' } as const] : []),
});

const settings = (nodeIps: readonly string[] = []) => ({ nodeIps, hostName: 'n1', hasExternalCloud: false });

const HOST_NAME = { type: 'Hostname', address: 'n1' };

describe('the addresses of a Node', () => {
  it.each([
    ['of its name, of the preferred family', ['fd00::2', '192.0.2.2'], [], '192.0.2.2'],
    ['of its name, of the other family if need be', ['fd00::2'], [], 'fd00::2'],
    ['of its name, of the family that was asked for', ['192.0.2.2', 'fd00::2'], ['::'], 'fd00::2'],
    ['of the default route, if its name means the loopback interface', ['127.0.1.1', '::1'], [], '192.0.2.2'],
    ['of the default route, if its name means another machine', ['203.0.113.1'], [], '192.0.2.2'],
  ])('%s', async (_, resolved, nodeIps, address) => {
    const found = await findAddresses(NODE, settings(nodeIps), network(resolved));
    expect(found).toEqual({ addresses: [{ type: 'InternalIP', address }, HOST_NAME] });
  });

  it('stay as they are if there is none', async () => {
    const found = await findAddresses(NODE, settings(), network([], false));
    expect(found).toEqual({
      error:
        'can\'t get ip address of node n1. error: no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"',
    });
  });

  it('are refused if the node IP is none of the machine', async () => {
    const found = await findAddresses(NODE, settings(['192.0.2.9']), network([]));
    expect(found).toEqual({
      error: 'failed to validate nodeIP: node IP: "192.0.2.9" not found in the host\'s network interfaces',
    });
  });

  it('are those of its cloud, which gets to know the node IP', async () => {
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const found = await findAddresses(
      { ...NODE, status: { addresses } },
      { ...settings(['192.0.2.2']), hasExternalCloud: true },
      network([]),
    );
    expect(found).toEqual({ annotations: { 'alpha.kubernetes.io/provided-node-ip': '192.0.2.2' } });
  });
});
