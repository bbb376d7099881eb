/**
 * Rules for a Pod's DNS configuration and host aliases. Source: core validation v1.34 `validatePodDNSConfig`,
 * `ValidateHostAliases`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import { dnsSubdomainFaults, underscoreSubdomainFaults } from '../../kube/values/names.ts';

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_TEXT = 2048;

export interface DnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string }[];
}

export interface HostAlias {
  readonly ip?: string;
  readonly hostnames?: readonly string[];
}

const addressFaults = (address: string, field: string): readonly FieldError[] =>
  parseAddress(address)
    ? []
    : [invalidValue(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];

const serversFaults = (servers: readonly string[], at: string): readonly FieldError[] => [
  ...(servers.length > MAX_SERVERS
    ? [invalidValue(at, servers, `must not have more than ${MAX_SERVERS} nameservers`)]
    : []),
  ...servers.flatMap((server, index) => addressFaults(server, `${at}[${index}]`)),
];

const searchFaults = (search: string, field: string): readonly FieldError[] => {
  const name = search.endsWith('.') ? search.slice(0, -1) : search;
  return search === '.'
    ? []
    : underscoreSubdomainFaults(name).map((fault) => invalidValue(field, name, fault));
};

const searchesFaults = (searches: readonly string[], at: string): readonly FieldError[] => [
  ...(searches.length > MAX_SEARCHES
    ? [invalidValue(at, searches, `must not have more than ${MAX_SEARCHES} search paths`)]
    : []),
  ...(searches.join(' ').length > MAX_SEARCH_TEXT
    ? [
        invalidValue(
          at,
          searches,
          `must not have more than ${MAX_SEARCH_TEXT} characters (including spaces) in the search list`,
        ),
      ]
    : []),
  ...searches.flatMap((search, index) => searchFaults(search, `${at}[${index}]`)),
];

const noneFault = (config: DnsConfig | undefined, at: string): FieldError | undefined => {
  if (!config) return required(at, 'must provide `dnsConfig` when `dnsPolicy` is None');
  return (config.nameservers ?? []).length === 0
    ? required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')
    : undefined;
};

/** Rules for `dnsConfig` at the path `at`. The policy `None` requires a name server. */
export const validateDns = (
  policy: unknown,
  config: DnsConfig | undefined,
  at: string,
): readonly FieldError[] => {
  const none = policy === 'None' ? noneFault(config, at) : undefined;
  if (none) return [none];
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  return [
    ...serversFaults(nameservers, `${at}.nameservers`),
    ...searchesFaults(searches, `${at}.searches`),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${at}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
};

export const validateHostAliases = (aliases: readonly HostAlias[], field: string): readonly FieldError[] =>
  aliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...addressFaults(ip, `${field}[${index}].ip`),
    ...hostnames.flatMap((name, at) =>
      dnsSubdomainFaults(name).map((fault) =>
        invalidValue(`${field}[${index}].hostnames[${at}]`, name, fault),
      ),
    ),
  ]);
