/** Finds the addresses of a Service. */
import type { Service } from '../../kinds/services/validate-service.ts';
import { invalidObject, invalidValue } from '../../kube/errors/field-error.ts';
import { StatusError } from '../../kube/errors/status-error.ts';
import type { Cidr } from '../../kube/values/cidr.ts';
import { cidrText } from '../../kube/values/cidr.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import {
  type AddressedSpec,
  candidates,
  familiesOf,
  hasClusterIp,
  rangeFault,
  rangeOf,
  serviceRanges,
} from '../../rules/addresses/service-addresses.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { type Claim, claimAddress, isFree } from './address-claims.ts';

/** Most addresses that one request tries: each costs a read or two. */
const MOST_TRIES = 512;

const SERVICE = { kind: 'Service' } as const;

/** Where addresses are kept as they are found. A dry run finds them, and claims nothing. */
export interface Allocation {
  readonly deps: ApiServerDeps;
  readonly dryRun: boolean;
  readonly claims: Claim[];
  /** Searches that were started: a request that fails waits for their ends before it gives the claims up. */
  readonly searches: Promise<Service>[];
}

const specOf = ({ spec = {} }: Service): AddressedSpec => spec;

/** The addresses that the Service has or asks for. */
export const givenAddresses = (service: Service): readonly string[] => {
  const { clusterIP = '', clusterIPs = [] } = specOf(service);
  return (clusterIPs.length > 0 ? clusterIPs : [clusterIP]).filter((address) => address !== '');
};

/** Whether the Service still needs an address of some family. */
export const lacksAddress = (service: Service, { deps }: Pick<Allocation, 'deps'>): boolean => {
  const spec = specOf(service);
  const ranges = serviceRanges(deps.config.serviceRanges);
  return hasClusterIp(spec) && givenAddresses(service).length < familiesOf(spec, ranges).length;
};

const refused = (service: Service, field: string, value: unknown, detail: string): Error =>
  invalidObject(SERVICE, service.metadata.name, [invalidValue(field, value, detail)]);

const claimed = async (service: Service, address: string, allocation: Allocation): Promise<boolean> => {
  const { deps, dryRun, claims } = allocation;
  const { namespace = '', name } = service.metadata;
  if (dryRun) return isFree(address, { namespace, name }, deps);
  const claim = await claimAddress(address, { namespace, name }, deps);
  if (claim) claims.push(claim);
  return claim !== undefined;
};

/** Claims an address that the client has chosen. Throws 422. */
const takeGiven = async (service: Service, address: string, allocation: Allocation): Promise<void> => {
  const given = givenAddresses(service);
  const refusal = (why: string): Error =>
    refused(service, 'spec.clusterIPs', given, `failed to allocate IP ${address}: ${why}`);
  const parsed = parseAddress(address);
  const ranges = serviceRanges(allocation.deps.config.serviceRanges);
  const fault = parsed && rangeFault(address, parsed, ranges);
  if (fault !== undefined) throw refusal(fault);
  if (!(await claimed(service, address, allocation))) throw refusal('provided IP is already allocated');
};

/** Claims any address of the range. Throws 500 if none is found. */
const takeAny = async (service: Service, range: Cidr, allocation: Allocation): Promise<string> => {
  let tries = 0;
  for (const address of candidates(range, allocation.deps.ids.random)) {
    tries += 1;
    if (tries > MOST_TRIES) break;
    if (await claimed(service, address, allocation)) return address;
  }
  throw new StatusError(
    'InternalError',
    `Internal error occurred: failed to allocate a serviceIP: range ${cidrText(range)} is full`,
  );
};

/** The Service with all its addresses; `before`: those that it has already. Throws 422, and 500 if the range is full. */
export const withAddresses = async (
  service: Service,
  before: readonly string[],
  allocation: Allocation,
): Promise<Service> => {
  const spec = specOf(service);
  if (!hasClusterIp(spec)) return service;
  const ranges = serviceRanges(allocation.deps.config.serviceRanges);
  const families = familiesOf(spec, ranges);
  if (spec.ipFamilyPolicy === 'RequireDualStack' && ranges.length < 2)
    throw refused(
      service,
      'spec.ipFamilyPolicy',
      'RequireDualStack',
      'this cluster is not configured for dual-stack services',
    );
  const addresses = [...givenAddresses(service)];
  for (const address of addresses)
    if (!before.includes(address)) await takeGiven(service, address, allocation);
  for (const [index, family] of families.entries()) {
    if (index < addresses.length) continue;
    const range = rangeOf(ranges, family);
    if (!range) throw refused(service, `spec.ipFamilies[${index}]`, family, 'not configured on this cluster');
    addresses.push(await takeAny(service, range, allocation));
  }
  return {
    ...service,
    spec: { ...service.spec, clusterIP: addresses[0] ?? '', clusterIPs: addresses, ipFamilies: families },
  };
};
