/** The machine's default routes and the address that they lead to. Source: apimachinery v1.34 `util/net` `interface.go`. */
import { canonicalIp, familyOf, ipKind } from './ip-kind.ts';

export interface DefaultRoute {
  readonly family: 4 | 6;
  readonly interfaceName: string;
}

/** An interface that is up, with its addresses in the order of the system. */
export interface NetworkInterface {
  readonly name: string;
  readonly isLoopback: boolean;
  readonly addresses: readonly string[];
}

const fieldsOf = (table: string): readonly (readonly string[])[] =>
  table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    return fields.length > 1 && fields[0] !== 'Iface' ? [fields] : [];
  });

const isZero = (hex: string | undefined): boolean => hex !== undefined && /^0+$/.test(hex);

/** Default routes in `/proc/net/route`: interface, destination, gateway and further fields. */
export const defaultRoutesIn = (table: string): readonly DefaultRoute[] =>
  fieldsOf(table).flatMap(([interfaceName = '', destination]) =>
    isZero(destination) ? [{ family: 4, interfaceName } as const] : [],
  );

/**
 * Default routes in `/proc/net/ipv6_route`. One without a gateway is none: the kernel lists routes of the loopback interface in this
 * form.
 */
export const defaultRoutes6In = (table: string): readonly DefaultRoute[] =>
  fieldsOf(table).flatMap(([destination, , , , gateway, , , , , interfaceName]) =>
    interfaceName !== undefined && isZero(destination) && !isZero(gateway)
      ? [{ family: 6, interfaceName } as const]
      : [],
  );

const globalAddress = (addresses: readonly string[], family: 4 | 6): string | undefined =>
  addresses.find((ip) => familyOf(ip) === family && ipKind(ip) === 'global');

/** Where interfaces have only link-local addresses, the machine's own is at the loopback interface (RFC 5549). */
const addressFor = (
  { family, interfaceName }: DefaultRoute,
  interfaces: readonly NetworkInterface[],
): string | undefined => {
  const own = interfaces.find(({ name }) => name === interfaceName);
  const loopbacks = interfaces.filter(({ isLoopback }) => isLoopback);
  return [...(own ? [own] : []), ...loopbacks]
    .map(({ addresses }) => globalAddress(addresses, family))
    .find((address) => address !== undefined);
};

/** The address of the machine in the network that the default routes lead to, of the preferred family if there is one. */
export const defaultAddress = (
  routes: readonly DefaultRoute[],
  interfaces: readonly NetworkInterface[],
  preferred: 4 | 6,
): { readonly address: string } | { readonly error: string } => {
  if (routes.length === 0)
    return { error: 'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"' };
  const sorted = routes.toSorted((a, b) => Number(a.family !== preferred) - Number(b.family !== preferred));
  const found = sorted.map((route) => addressFor(route, interfaces)).find((address) => address !== undefined);
  return found === undefined
    ? { error: 'unable to select an IP from default routes.' }
    : { address: canonicalIp(found) ?? found };
};
