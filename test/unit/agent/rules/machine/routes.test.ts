import { describe, expect, it } from 'vitest';
import {
  defaultAddress,
  defaultRoutes6In,
  defaultRoutesIn,
  type NetworkInterface,
} from '../../../../../agent/rules/machine/routes.ts';

const ROUTES = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	0	00000000	0	0	0
docker0	000011AC	00000000	0001	0	0	0	0000FFFF	0	0	0
eth0	000200C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
`;

const NO_DEFAULT = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	000200C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
`;

const ROUTES_6 = `fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000002 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000003 00000000 00000003     eth0
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`;

describe('default routes', () => {
  it('of IPv4 have the destination zero', () =>
    expect(defaultRoutesIn(ROUTES)).toEqual([{ family: 4, interfaceName: 'eth0' }]));

  it('of a machine that has none', () => expect(defaultRoutesIn(NO_DEFAULT)).toEqual([]));

  it('of IPv6 have a gateway: those of the loopback interface are left out', () =>
    expect(defaultRoutes6In(ROUTES_6)).toEqual([{ family: 6, interfaceName: 'eth0' }]));

  it('of a kernel without IPv6', () => expect(defaultRoutes6In('')).toEqual([]));
});

const LOOPBACK: NetworkInterface = { name: 'lo', isLoopback: true, addresses: ['127.0.0.1', '::1'] };
const ETH0: NetworkInterface = {
  name: 'eth0',
  isLoopback: false,
  addresses: ['169.254.7.7', '192.0.2.2', '192.0.2.3', 'fe80::fc:ff:fe00:1', 'fd00::2'],
};
const FOUR = { family: 4, interfaceName: 'eth0' } as const;
const SIX = { family: 6, interfaceName: 'eth0' } as const;

describe('the address of the default route', () => {
  it.each([
    ['the first global one of the family', [FOUR, SIX], [LOOPBACK, ETH0], 4, { address: '192.0.2.2' }],
    ['the preferred family first', [FOUR, SIX], [LOOPBACK, ETH0], 6, { address: 'fd00::2' }],
    [
      'the other family where the preferred one has no route',
      [SIX],
      [LOOPBACK, ETH0],
      4,
      { address: 'fd00::2' },
    ],
    [
      'at the loopback interface, where others have only link-local addresses',
      [FOUR],
      [
        { ...LOOPBACK, addresses: ['127.0.0.1', '198.51.100.9'] },
        { ...ETH0, addresses: ['169.254.7.7'] },
      ],
      4,
      { address: '198.51.100.9' },
    ],
    [
      'none without routes',
      [],
      [LOOPBACK, ETH0],
      4,
      { error: 'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"' },
    ],
    [
      'none while the interface is down',
      [FOUR],
      [LOOPBACK],
      4,
      { error: 'unable to select an IP from default routes.' },
    ],
  ] as const)('%s', (_, routes, interfaces, preferred, expected) =>
    expect(defaultAddress(routes, interfaces, preferred)).toEqual(expected),
  );
});
