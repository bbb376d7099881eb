/** How the containers of a pod find names. Source: kubernetes v1.34 pkg/kubelet/network/dns `Configurer`. */
import type { AgentPod } from '../containers/agent-pod.ts';

export interface Resolver {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** What the node gives. */
export interface DnsFacts {
  /** Text of the machine's `resolv.conf`; empty: it has none. */
  readonly resolvConf: string;
  /** Addresses of the cluster's name servers. */
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
}

interface PodDnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

/** Source: kubernetes v1.34 `MaxDNSNameservers`, `MaxDNSSearchPaths`, `MaxDNSSearchListChars`. */
const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const MOST_SEARCH_CHARACTERS = 2048;
const CLUSTER_OPTIONS = ['ndots:5'];
const NONE: Resolver = { servers: [], searches: [], options: [] };

/** Of several lines with searches or options the last counts. */
const machineResolver = (text: string): Resolver => {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const last = (word: string): readonly string[] =>
    lines.findLast(([first]) => first === word)?.slice(1) ?? [];
  const found = {
    servers: lines.flatMap(([first, server]) => (first === 'nameserver' && server ? [server] : [])),
    searches: last('search').map((name) => (name === '.' ? name : name.replace(/\.$/, ''))),
    options: last('options'),
  };
  return text.trim() === '' ? { ...NONE, servers: ['127.0.0.1'], searches: ['.'] } : found;
};

const unique = (all: readonly string[]): readonly string[] => [...new Set(all)];

const clusterResolver = (
  { clusterDns, clusterDomain }: DnsFacts,
  namespace: string,
  machine: Resolver,
): Resolver => {
  const own =
    clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return {
    servers: clusterDns,
    searches: unique([...own, ...machine.searches]),
    options: CLUSTER_OPTIONS,
  };
};

const byPolicy = ({ metadata, spec }: AgentPod, facts: DnsFacts): Resolver => {
  const policy = spec['dnsPolicy'] ?? 'ClusterFirst';
  if (policy === 'None') return NONE;
  const machine = machineResolver(facts.resolvConf);
  const wantsCluster =
    policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && spec.hostNetwork !== true);
  return wantsCluster && facts.clusterDns.length > 0
    ? clusterResolver(facts, metadata.namespace ?? '', machine)
    : machine;
};

const nameOf = (option: string): string => option.split(':')[0] ?? '';

/** An option of the pod replaces that of its name. */
const mergedOptions = (
  given: readonly string[],
  own: NonNullable<PodDnsConfig['options']>,
): readonly string[] => {
  const added = own.map(({ name = '', value }) => (value ? `${name}:${value}` : name));
  const names = new Set(added.map(nameOf));
  return [...given.filter((option) => !names.has(nameOf(option))), ...added];
};

const fitting = ({ servers, searches, options }: Resolver): Resolver => {
  const kept: string[] = [];
  for (const search of searches.slice(0, MOST_SEARCHES))
    if ([...kept, search].join(' ').length <= MOST_SEARCH_CHARACTERS) kept.push(search);
    else break;
  return { servers: servers.slice(0, MOST_SERVERS), searches: kept, options };
};

export const podDns = (pod: AgentPod, facts: DnsFacts): Resolver => {
  const { servers, searches, options } = byPolicy(pod, facts);
  const own = (pod.spec['dnsConfig'] ?? {}) as PodDnsConfig;
  return fitting({
    servers: unique([...servers, ...(own.nameservers ?? [])]),
    searches: unique([...searches, ...(own.searches ?? [])]),
    options: mergedOptions(options, own.options ?? []),
  });
};
