/**
 * The file `config.json` of a container: what the runtime makes it from. Source: opencontainers/runtime-spec v1.0.2; kubernetes v1.34
 * `generateContainerConfig`; containerd v1.7 `containerSpec`.
 */

import { optional } from '../../../shared/kube/values/optional.ts';
import { type GroupAbilities, linuxResources } from '../cri/linux-resources.ts';
import type { ContainerSecurityContext } from '../cri/messages/containers.ts';
import { DEFAULT_PATH } from '../machine/default-path.ts';
import { hostName } from '../runtime/host-name.ts';
import { sizeFault } from '../runtime/program-size.ts';
import type { Controller } from '../stats/cgroup-layout.ts';
import { ALL_CAPABILITIES, containerCapabilities } from './capabilities.ts';
import { type MountFacts, ociMounts } from './mounts.ts';
import { ociResources } from './resources.ts';
import type { OciCapabilities, OciConfig, OciProcess, OciSeccomp } from './runtime-spec.ts';
import { defaultSeccomp, type SeccompMachine } from './seccomp.ts';
import { containerUser, isOnMachine } from './user.ts';

/** The agent and its machine. */
export interface AgentFacts extends SeccompMachine {
  /** `undefined`: it is root. Else its own user and group, the only ones of its containers. */
  readonly rootless?: { readonly uid: number; readonly gid: number };
  /** Names of the capabilities of its bounding set, such as `CAP_CHOWN`. */
  readonly capabilities: readonly string[];
  /** A program without `CAP_SYS_RESOURCE`, such as one that is not root, cannot go below its own. */
  readonly oomScoreAdjust: number;
  readonly abilities: GroupAbilities;
  /** Controllers of control groups that the machine lacks. */
  readonly absent: readonly Controller[];
}

export interface ConfigFacts
  extends Pick<MountFacts, 'spec' | 'root' | 'attempt' | 'hasOverlays' | 'machineFiles' | 'messageFile'> {
  readonly security: ContainerSecurityContext;
  readonly hostname: string;
  /** The slot of its pod. */
  readonly slot: number;
  /** Begins with `/`; of agents that are root. */
  readonly cgroupsPath: string;
  readonly agent: AgentFacts;
  /** The profile of a container that names one of the machine. */
  readonly localProfile?: OciSeccomp;
}

const UMASK = 0o022;

const environmentOf = ({ spec, hostname }: ConfigFacts): readonly string[] => {
  const terminal = spec.input?.isTerminal ? { TERM: 'xterm' } : {};
  const all = { PATH: DEFAULT_PATH, HOSTNAME: hostname, ...terminal, ...spec.environment };
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
};

const isPrivileged = ({ security }: ConfigFacts): boolean => security.privileged === true;

/** In a namespace of users of its own a process may have all capabilities. */
const capabilitiesOf = ({ security, agent }: ConfigFacts): OciCapabilities =>
  containerCapabilities(security, agent.rootless ? ALL_CAPABILITIES : agent.capabilities);

const userOf = ({ security, spec, slot, agent }: ConfigFacts): OciProcess['user'] => {
  const { uid, gid, groups } = containerUser(security, {
    image: spec.image,
    slot,
    isRootless: agent.rootless !== undefined,
  });
  const additional = agent.rootless ? {} : { additionalGids: [...new Set([gid, ...groups])] };
  return { uid, gid, ...additional, umask: UMASK };
};

/** A program of the machine with the set-user-id bit, or one in a volume, must not make root of a user. */
const hasNoNewPrivileges = (facts: ConfigFacts): boolean =>
  facts.security.noNewPrivs === true || isOnMachine(facts.spec.image, isPrivileged(facts));

/** A runtime that may not write the score refuses the container. */
const oomScoreOf = ({ spec, agent }: ConfigFacts): number => {
  const mayLower = !agent.rootless && agent.capabilities.includes('CAP_SYS_RESOURCE');
  return mayLower ? spec.oomScoreAdjust : Math.max(spec.oomScoreAdjust, agent.oomScoreAdjust);
};

const processOf = (facts: ConfigFacts): OciProcess => ({
  terminal: facts.spec.input?.isTerminal ?? false,
  user: userOf(facts),
  args: facts.spec.command,
  env: environmentOf(facts),
  cwd: facts.spec.workingDirectory ?? '/',
  capabilities: capabilitiesOf(facts),
  noNewPrivileges: hasNoNewPrivileges(facts),
  oomScoreAdj: oomScoreOf(facts),
});

const hostNamespaces = ({ security: { namespaceOptions = {} } }: ConfigFacts) => ({
  hasHostPid: namespaceOptions.pid === 'NODE',
  hasHostIpc: namespaceOptions.ipc === 'NODE',
});

/** In version 2 there is one tree, of which a container sees its own part only. Source: containerd v1.7 `isUnifiedCgroupsMode`. */
const hasOwnGroups = (facts: ConfigFacts): boolean =>
  facts.agent.abilities.isVersion2 && !facts.agent.rootless && !isPrivileged(facts);

const namespacesOf = (facts: ConfigFacts): readonly { readonly type: string }[] => {
  const { hasHostPid, hasHostIpc } = hostNamespaces(facts);
  return [
    { type: 'mount' },
    { type: 'uts' },
    ...(hasHostPid ? [] : [{ type: 'pid' }]),
    ...(hasHostIpc ? [] : [{ type: 'ipc' }]),
    ...(facts.agent.rootless ? [{ type: 'user' }] : []),
    ...(hasOwnGroups(facts) ? [{ type: 'cgroup' }] : []),
  ];
};

const seccompOf = (facts: ConfigFacts): OciSeccomp | undefined => {
  const { security, agent, localProfile } = facts;
  if (isPrivileged(facts)) return undefined;
  if (security.seccomp?.profileType === 'Localhost') return localProfile;
  if (security.seccomp?.profileType !== 'RuntimeDefault') return undefined;
  return defaultSeccomp(capabilitiesOf(facts).bounding, agent);
};

/** The folders of the image become read-only after all mount points are made. */
const pathsOf = (facts: ConfigFacts) => {
  const { security, root } = facts;
  const { maskedPaths = [], readonlyPaths = [], readonlyRootfs = false } = security;
  const ofImage = readonlyRootfs ? root.mounts.map(({ path }) => path) : [];
  if (isPrivileged(facts)) return { maskedPaths: [], readonlyPaths: ofImage };
  return { maskedPaths, readonlyPaths: [...readonlyPaths, ...ofImage] };
};

const propagationOf = ({ spec }: ConfigFacts): string =>
  spec.mounts.some(({ propagation }) => propagation === 'Bidirectional') ? 'rshared' : 'rslave';

const groupsOf = (facts: ConfigFacts) => {
  const { agent, spec, security, cgroupsPath } = facts;
  if (agent.rootless) {
    const { uid, gid } = userOf(facts);
    const { rootless: own } = agent;
    return {
      uidMappings: [{ containerID: uid, hostID: own.uid, size: 1 }],
      gidMappings: [{ containerID: gid, hostID: own.gid, size: 1 }],
    };
  }
  const resources = linuxResources(spec.bounds, agent.abilities, spec.oomScoreAdjust);
  const more = {
    isPrivileged: security.privileged === true,
    ...optional('pidsLimit', spec.bounds.pidsLimit),
  };
  return { cgroupsPath, resources: ociResources(resources, more, agent.absent) };
};

/** Of a container whose user `userFault` has nothing against. */
export const ociConfig = (facts: ConfigFacts): OciConfig => ({
  ociVersion: '1.0.2',
  process: processOf(facts),
  root: { path: 'rootfs', readonly: facts.security.readonlyRootfs === true },
  hostname: hostName(facts.hostname),
  mounts: ociMounts({
    ...facts,
    ...hostNamespaces(facts),
    isPrivileged: isPrivileged(facts),
    isRootless: facts.agent.rootless !== undefined,
  }),
  linux: {
    namespaces: namespacesOf(facts),
    ...groupsOf(facts),
    ...optional('seccomp', seccompOf(facts)),
    rootfsPropagation: propagationOf(facts),
    ...pathsOf(facts),
  },
});

/**
 * Why the kernel would not start the program; `undefined`: it does. Runtimes find this out when the program begins, and then say it in the
 * container's log only.
 */
export const processFault = ({ args, env }: OciProcess): string | undefined => {
  if ([...args, ...env].some((text) => text.includes('\0')))
    return 'an argument or a variable has a zero byte, and Linux cannot give it to a program';
  const variables = env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
  return sizeFault(args, Object.fromEntries(variables) as Readonly<Record<string, string>>);
};

/** Of a command in the container. */
export const execProcess = (
  { process }: OciConfig,
  args: readonly string[],
  terminal: boolean,
): OciProcess => ({
  ...process,
  args,
  terminal,
});
