/** What an agent is told to do: by its file KubeletConfiguration, and by flags, which win. */
import type { Taint } from '../../shared/kube/types/core.ts';
import { parseCpuSet } from '../rules/config/cpu-set.ts';
import type { KubeletConfig } from '../rules/config/kubelet-config.ts';
import type { DiskLayout } from '../rules/eviction/disk-layout.ts';
import { evictionSettings } from '../rules/eviction/settings.ts';
import type { EvictionSettings } from '../rules/eviction/synchronize.ts';
import type { ContainerPolicy } from '../rules/garbage/container-garbage.ts';
import { parseNodeIps } from '../rules/node/node-ip.ts';
import { parseReserved } from '../rules/node/reserved.ts';
import { unheldSetting } from '../rules/plain/plain-mode.ts';
import { hasBundles, type Isolation } from '../rules/pods/isolation.ts';
import { nodeLabelsFault } from '../rules/registration/labels-flag.ts';
import { parseTaints } from '../rules/registration/taints-flag.ts';
import { containerPolicy, GARBAGE_FLAGS } from './garbage-flags.ts';

/** Their names are the kubelet's, but for `host-image-paths` and `image-folders`. */
export const AGENT_FLAGS = [
  'node-ip',
  'node-labels',
  'hostname-override',
  'register-with-taints',
  'register-node',
  'fail-swap-on',
  'provider-id',
  'cloud-provider',
  'container-runtime-endpoint',
  'image-service-endpoint',
  'host-image-paths',
  'image-folders',
  ...GARBAGE_FLAGS,
] as const;

/** Flags as they were written. */
export interface AgentFlags
  extends Readonly<Partial<Record<(typeof AGENT_FLAGS)[number], string | undefined>>> {
  /** No flag of a kubelet. */
  readonly unisolated?: boolean | undefined;
}

export interface AgentSettings {
  readonly nodeName: string;
  readonly nodeIps: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly registersNode: boolean;
  readonly providerID: string;
  readonly hasExternalCloud: boolean;
  readonly config: KubeletConfig;
  readonly eviction: EvictionSettings;
  /** Which ended containers are kept. */
  readonly containers: ContainerPolicy;
  readonly isolation: Isolation;
  /** What the image `host` has besides, of OCI runtimes. */
  readonly hostImagePaths: readonly string[];
  /** Folders that may be images, or have images below them, of OCI runtimes. */
  readonly imageFolders: readonly string[];
  /** Present where `isolation` is `cri`. */
  readonly containerRuntime?: RuntimeEndpoints;
  /** What does not count, for the log. */
  readonly notes: readonly string[];
}

/** Unix sockets of a runtime that speaks the CRI, such as `unix:///run/containerd/containerd.sock`. */
export interface RuntimeEndpoints {
  readonly endpoint: string;
  /** Absent: the same. */
  readonly imageEndpoint?: string;
}

/** What is wrong with a flag or a field, and what to do about it. */
export class SettingsFault extends Error {
  override readonly name = 'SettingsFault';
}

const refuse = (what: string): never => {
  throw new SettingsFault(what);
};

const nameOf = (flags: AgentFlags, hostName: string): string => {
  const name = (flags['hostname-override'] || hostName).trim().toLowerCase();
  return name === '' ? refuse('empty hostname is invalid: give a name with --hostname-override') : name;
};

const labelsOf = ({ 'node-labels': given = '' }: AgentFlags): Readonly<Record<string, string>> => {
  const pairs = given.split(',').filter((pair) => pair.trim() !== '');
  const labels = Object.fromEntries(
    pairs.map((pair) => {
      const [, key, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      return key === undefined || value === undefined
        ? refuse(`--node-labels: malformed pair "${pair}": write it as key=value, with commas between pairs`)
        : [key, value];
    }),
  );
  const fault = nodeLabelsFault(labels);
  return fault === undefined ? labels : refuse(fault);
};

const taintsOf = (flags: AgentFlags, { registerWithTaints }: KubeletConfig): readonly Taint[] => {
  const given = flags['register-with-taints'];
  if (given === undefined) return (registerWithTaints ?? []) as readonly Taint[];
  const parsed = parseTaints(given.split(',').filter((text) => text !== ''));
  if ('error' in parsed) return refuse(`--register-with-taints: ${parsed.error}; write key=value:NoSchedule`);
  if (parsed.removed.length > 0)
    return refuse('--register-with-taints: a Node is made with taints, so none can be taken off with "-"');
  return parsed.taints;
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

const registersOf = (flags: AgentFlags, { registerNode }: KubeletConfig): boolean => {
  const given = flags['register-node'];
  if (given === undefined) return registerNode;
  return BOOLEANS[given] ?? refuse(`--register-node=${given}: write true or false`);
};

/** CPUs that are reserved by name count as the system's, and take the place of reserved amounts. Source: kubernetes v1.34 cmd/kubelet/app `server.go`. */
const withReservedCpus = (config: KubeletConfig): KubeletConfig => {
  const cpus = parseCpuSet(config.reservedSystemCPUs);
  if ('error' in cpus || cpus.length === 0) return config;
  const { cpu: _, ...kubeReserved } = config.kubeReserved ?? {};
  return { ...config, kubeReserved, systemReserved: { ...config.systemReserved, cpu: String(cpus.length) } };
};

const failsOnSwap = (flags: AgentFlags, { failSwapOn }: KubeletConfig): boolean => {
  const given = flags['fail-swap-on'];
  if (given === undefined) return failSwapOn;
  return BOOLEANS[given] ?? refuse(`--fail-swap-on=${given}: write true or false`);
};

const isExternal = ({ 'cloud-provider': given = '' }: AgentFlags): boolean =>
  given === '' || given === 'external'
    ? given === 'external'
    : refuse(`--cloud-provider=${given}: write external, or leave it out`);

const checkReserved = ({ systemReserved, kubeReserved }: KubeletConfig): void => {
  for (const [field, given] of Object.entries({ systemReserved, kubeReserved })) {
    const parsed = parseReserved(given ?? {});
    if ('error' in parsed) refuse(`${field}: ${parsed.error}`);
  }
};

const socketOf = (name: string, given: string): string => {
  if (given.startsWith('/')) return `unix://${given}`;
  return /^unix:\/\/\/./.test(given)
    ? given
    : refuse(`${name}: ${given} is no path of a socket: write unix:///run/containerd/containerd.sock`);
};

const runtimeOf = ({ flags, config, runtimeEndpoint = '' }: Given) => {
  const endpoint = flags['container-runtime-endpoint'] || runtimeEndpoint;
  const images = flags['image-service-endpoint'] || config.imageServiceEndpoint;
  if (endpoint === '') return { isolation: 'oci' as const };
  const containerRuntime: RuntimeEndpoints = {
    endpoint: socketOf('containerRuntimeEndpoint', endpoint),
    ...(images === '' ? {} : { imageEndpoint: socketOf('imageServiceEndpoint', images) }),
  };
  return { containerRuntime, isolation: 'cri' as const };
};

const unisolated = ({ flags, config, runtimeEndpoint = '' }: Given): Pick<AgentSettings, 'isolation'> => {
  if (flags['container-runtime-endpoint'])
    refuse('give either --unisolated or --container-runtime-endpoint, not both');
  if (runtimeEndpoint !== '')
    refuse('containerRuntimeEndpoint: not with --unisolated: leave one of them out');
  const unheld = unheldSetting(config);
  return unheld === undefined ? { isolation: 'none' } : refuse(unheld);
};

/** Of images that the agent makes itself. */
const pathsOf = (
  flag: 'host-image-paths' | 'image-folders',
  { [flag]: given = '' }: AgentFlags,
  isolation: Isolation,
): readonly string[] => {
  const paths = given.split(',').filter(Boolean);
  if (paths.length > 0 && !hasBundles(isolation))
    return refuse(`--${flag}: only with an OCI runtime does the agent make images of folders`);
  return paths;
};

export interface Given {
  readonly flags: AgentFlags;
  readonly config: KubeletConfig;
  /** The endpoint that the file names; absent: none. */
  readonly runtimeEndpoint?: string;
  readonly hostName: string;
  /** As in Go: `linux`. */
  readonly os: string;
  readonly layout: DiskLayout;
}

/** The settings. Throws a `SettingsFault`. */
export const agentSettings = (all: Given): AgentSettings => {
  const { flags, config: given, hostName, os, layout } = all;
  const config = { ...withReservedCpus(given), failSwapOn: failsOnSwap(flags, given) };
  checkReserved(config);
  const ipFlag = flags['node-ip'] ?? '';
  const ips = parseNodeIps(ipFlag);
  if ('error' in ips) return refuse(`bad --node-ip "${ipFlag}": ${ips.error}`);
  const containers = containerPolicy(flags);
  if ('error' in containers) return refuse(containers.error);
  const eviction = evictionSettings(config, os, layout);
  if ('error' in eviction) return refuse(eviction.error);
  const runtime = flags.unisolated ? unisolated(all) : runtimeOf(all);
  return {
    nodeName: nameOf(flags, hostName),
    nodeIps: ips.ips,
    nodeLabels: labelsOf(flags),
    taints: taintsOf(flags, config),
    registersNode: registersOf(flags, config),
    providerID: flags['provider-id'] ?? config.providerID,
    hasExternalCloud: isExternal(flags),
    config,
    eviction: eviction.settings,
    containers,
    ...runtime,
    hostImagePaths: pathsOf('host-image-paths', flags, runtime.isolation),
    imageFolders: pathsOf('image-folders', flags, runtime.isolation),
    notes: [
      ...ips.invalid.map((entry) => `--node-ip: ${entry} is no address and does not count`),
      ...(eviction.ignored === undefined ? [] : [eviction.ignored]),
    ],
  };
};
