import { describe, expect, it } from 'vitest';
import type { ContainerMount } from '../../../../../agent/rules/containers/container-mount.ts';
import { containerSecurity } from '../../../../../agent/rules/cri/security-context.ts';
import type { BundleSpec } from '../../../../../agent/rules/oci/bundle-spec.ts';
import { ALL_CAPABILITIES } from '../../../../../agent/rules/oci/capabilities.ts';
import {
  type AgentFacts,
  type ConfigFacts,
  execProcess,
  ociConfig,
  processFault,
} from '../../../../../agent/rules/oci/config.ts';
import { layerFault } from '../../../../../agent/rules/oci/mounts.ts';
import type { OciConfig } from '../../../../../agent/rules/oci/runtime-spec.ts';
import { imageUser } from '../../../../../agent/rules/oci/user.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const AGENT: AgentFacts = {
  architecture: 'x64',
  kernel: '6.1.0',
  capabilities: ALL_CAPABILITIES,
  oomScoreAdjust: 100,
  abilities: { isVersion2: false, boundsSwap: true, killsSingleProcess: true },
  absent: [],
};
const ROOTLESS: AgentFacts = { ...AGENT, rootless: { uid: 1500, gid: 1600 } };
/** Root, in a container of another runtime, say. */
const BOUND: AgentFacts = {
  ...AGENT,
  capabilities: ALL_CAPABILITIES.filter((name) => name !== 'CAP_SYS_RESOURCE'),
};
const TWO: AgentFacts = {
  ...AGENT,
  abilities: { isVersion2: true, boundsSwap: false, killsSingleProcess: false },
};
const SECCOMP = { profiles: '/profiles', isDefault: true };
const LOCAL = { defaultAction: 'SCMP_ACT_LOG' };
const USR = { path: '/usr', source: '/usr', mode: 0o755, uid: 0, gid: 0, isOpen: false };
const ROOT = { folders: [], links: [], copies: [], mounts: [USR], unseen: [] };
const RESOLV: ContainerMount = { source: '/etc/resolv.conf', target: '/etc/resolv.conf', isReadOnly: true };

interface Case {
  readonly own?: object;
  readonly ofPod?: object;
  readonly spec?: Partial<BundleSpec>;
  readonly agent?: AgentFacts;
  readonly facts?: Partial<ConfigFacts>;
}

const configOf = ({ own = {}, ofPod = {}, spec = {}, agent = AGENT, facts = {} }: Case = {}): OciConfig => {
  const whole: BundleSpec = {
    image: 'host',
    command: ['run', '$(x)'],
    environment: {},
    mounts: [],
    bounds: {},
    oomScoreAdjust: 500,
    ...spec,
  };
  const container = { name: 'c', image: whole.image, securityContext: own };
  const pod = podOf('p', { containers: [container], ...ofPod });
  return ociConfig({
    spec: whole,
    security: containerSecurity(
      pod,
      container,
      imageUser(container, { image: whole.image, slot: 7, isRootless: agent.rootless !== undefined }),
      SECCOMP,
    ),
    root: ROOT,
    attempt: '/a',
    hasOverlays: true,
    hostname: 'p',
    slot: 7,
    cgroupsPath: '/pods/p/c',
    messageFile: '/a/message',
    machineFiles: [RESOLV],
    agent,
    ...facts,
  });
};

const mountAt = ({ mounts }: OciConfig, path: string) =>
  mounts.find(({ destination }) => destination === path);
const namespacesOf = ({ linux }: OciConfig) => linux.namespaces.map(({ type }) => type).toSorted();

const FOLDER = { image: '/images/a' };
const PRIVILEGED = { own: { privileged: true } };

describe('the process of a bundle', () => {
  it.each<[string, Case, object]>([
    ['its words are not expanded again', {}, { args: ['run', '$(x)'], cwd: '/', terminal: false }],
    ['its folder', { spec: { workingDirectory: '/srv' } }, { cwd: '/srv' }],
    [
      'its user, and the umask of all',
      { own: { runAsUser: 1500, runAsGroup: 1600 } },
      { user: { uid: 1500, gid: 1600, additionalGids: [1600], umask: 0o022 } },
    ],
    [
      'its groups, each once',
      { ofPod: { securityContext: { runAsGroup: 9, fsGroup: 9, supplementalGroups: [8] } }, spec: FOLDER },
      { user: { uid: 0, gid: 9, additionalGids: [9, 8], umask: 0o022 } },
    ],
    ['its score', { spec: { oomScoreAdjust: -997 } }, { oomScoreAdj: -997 }],
    [
      'no score below that of an agent that is not root',
      { agent: ROOTLESS, spec: { oomScoreAdjust: -997 } },
      { oomScoreAdj: 100 },
    ],
    [
      'no score below that of root without the capability for it',
      { agent: BOUND, spec: { oomScoreAdjust: -997 } },
      { oomScoreAdj: 100 },
    ],
    ['a score above that of root without it', { agent: BOUND }, { oomScoreAdj: 500 }],
    ['a score above that of an agent that is not root', { agent: ROOTLESS }, { oomScoreAdj: 500 }],
    [
      'no group for an agent that is not root',
      { agent: ROOTLESS, spec: FOLDER },
      { user: { uid: 0, gid: 0, umask: 0o022 } },
    ],
    ['no new rights on the machine', {}, { noNewPrivileges: true }],
    ['new rights in a folder', { spec: FOLDER }, { noNewPrivileges: false }],
    [
      'no new rights in a folder',
      { spec: FOLDER, own: { allowPrivilegeEscalation: false } },
      { noNewPrivileges: true },
    ],
    ['new rights of privileged ones', PRIVILEGED, { noNewPrivileges: false }],
    [
      'a terminal',
      { spec: { input: { hasInput: false, isTerminal: true, endsWithClient: false } } },
      { terminal: true },
    ],
  ])('%s', (_what, given, expected) => {
    expect(configOf(given).process).toMatchObject(expected);
  });

  it.each<[string, Case, Readonly<Record<string, string>>]>([
    ['a path and the name', {}, { HOSTNAME: 'p' }],
    [
      'what the pod says',
      { spec: { environment: { PATH: '/x', HOSTNAME: 'h', A: 'b=c' } } },
      { PATH: '/x', HOSTNAME: 'h', A: 'b=c' },
    ],
    [
      'the kind of its terminal',
      { spec: { input: { hasInput: true, isTerminal: true, endsWithClient: false } } },
      { HOSTNAME: 'p', TERM: 'xterm' },
    ],
  ])('has in its environment %s', (_what, given, expected) => {
    const usual = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
    const all = Object.entries({ ...usual, ...expected }).map(([name, value]) => `${name}=${value}`);
    expect(configOf(given).process.env.toSorted()).toEqual(all.toSorted());
  });

  it('has no more capabilities than the agent, unless its namespace gives it all', () => {
    const few = { ...AGENT, capabilities: ['CAP_CHOWN'] };
    const bounding = (given: Case) =>
      configOf({ ...given, own: { capabilities: { add: ['SYS_ADMIN'] } } }).process.capabilities.bounding;
    expect(bounding({ agent: few })).toEqual(['CAP_CHOWN']);
    expect(bounding({ agent: { ...few, rootless: { uid: 1500, gid: 1500 } } })).toContain('CAP_SYS_ADMIN');
    expect(configOf({ ...PRIVILEGED, agent: few }).process.capabilities.bounding).toEqual(['CAP_CHOWN']);
  });

  it('of a command is that of the container', () => {
    const config = configOf({ own: { runAsUser: 1500, allowPrivilegeEscalation: false } });
    expect(execProcess(config, ['ls'], true)).toEqual({ ...config.process, args: ['ls'], terminal: true });
  });
});

describe('what the kernel would not start', () => {
  it.each<[string, Partial<BundleSpec>, RegExp | undefined]>([
    ['a program', {}, undefined],
    ['an argument of the largest size', { command: ['a', 'x'.repeat(131_071)] }, undefined],
    ['a larger one', { command: ['a', 'x'.repeat(131_072)] }, /argument 1 has 131072 bytes/],
    ['a large variable', { environment: { A: 'x'.repeat(131_072) } }, /environment variable A/],
    [
      'too much in all',
      { command: Array.from({ length: 20 }, () => 'x'.repeat(131_000)) },
      /arguments and environment/,
    ],
    ['an argument that ends early', { command: ['a', 'b\0c'] }, /zero byte/],
    ['a variable that ends early', { environment: { A: '\0' } }, /zero byte/],
  ])('%s', (_what, spec, expected) => {
    const fault = processFault(configOf({ spec }).process);
    if (expected) expect(fault).toMatch(expected);
    else expect(fault).toBeUndefined();
  });
});

describe('the namespaces of a bundle', () => {
  it.each<[string, Case, readonly string[]]>([
    ['all but the network', {}, ['ipc', 'mount', 'pid', 'uts']],
    ['those of privileged ones', PRIVILEGED, ['ipc', 'mount', 'pid', 'uts']],
    ['without its own processes', { ofPod: { hostPID: true } }, ['ipc', 'mount', 'uts']],
    ['without its own shared memory', { ofPod: { hostIPC: true } }, ['mount', 'pid', 'uts']],
    ['its own part of the groups of version 2', { agent: TWO }, ['cgroup', 'ipc', 'mount', 'pid', 'uts']],
    ['all groups of privileged ones', { ...PRIVILEGED, agent: TWO }, ['ipc', 'mount', 'pid', 'uts']],
    ['one of users without root', { agent: ROOTLESS }, ['ipc', 'mount', 'pid', 'user', 'uts']],
  ])('%s', (_what, given, expected) => {
    expect(namespacesOf(configOf(given))).toEqual(expected);
  });

  it('map the one user and the one group of an agent that is not root', () => {
    const { linux } = configOf({ agent: ROOTLESS, own: { runAsUser: 33, runAsGroup: 44 } });
    expect(linux.uidMappings).toEqual([{ containerID: 33, hostID: 1500, size: 1 }]);
    expect(linux.gidMappings).toEqual([{ containerID: 44, hostID: 1600, size: 1 }]);
    expect([linux.resources, linux.cgroupsPath]).toEqual([undefined, undefined]);
  });

  it('has a name that the kernel takes', () => {
    expect(configOf({ facts: { hostname: 'h'.repeat(70) } }).hostname).toHaveLength(64);
  });
});

describe('what a container may take', () => {
  const BOUNDS = {
    cpuRequestMilli: 500,
    cpuLimitMilli: 1500,
    memoryLimitBytes: 1000,
    swapMaxBytes: 10,
    pidsLimit: 5,
    cpus: '0-1',
    memoryNodes: '0',
  };
  const NO_DEVICES = [{ allow: false, access: 'rwm' }];
  const cpu = { shares: 512, quota: 150_000, period: 100_000, cpus: '0-1', mems: '0' };
  const memory = { limit: 1000, swap: 1010 };

  it.each<[string, Case, object]>([
    ['nothing asked', {}, { devices: NO_DEVICES, cpu: { shares: 2, period: 100_000 }, memory: {} }],
    ['all asked', { spec: { bounds: BOUNDS } }, { devices: NO_DEVICES, cpu, memory, pids: { limit: 5 } }],
    [
      'all devices',
      PRIVILEGED,
      { devices: [{ allow: true, access: 'rwm' }], cpu: { shares: 2, period: 100_000 }, memory: {} },
    ],
    [
      'a machine without some controllers',
      { spec: { bounds: BOUNDS }, agent: { ...AGENT, absent: ['memory', 'pids'], abilities: TWO.abilities } },
      { devices: NO_DEVICES, cpu },
    ],
    [
      'a machine without any',
      { spec: { bounds: BOUNDS }, agent: { ...AGENT, absent: ['cpu', 'cpuacct', 'memory', 'pids'] } },
      { devices: NO_DEVICES },
    ],
    [
      'all processes end together',
      { agent: { ...AGENT, abilities: TWO.abilities } },
      {
        devices: NO_DEVICES,
        cpu: { shares: 2, period: 100_000 },
        memory: {},
        unified: { 'memory.oom.group': '1' },
      },
    ],
  ])('%s', (_what, given, expected) => {
    const { linux } = configOf(given);
    expect(linux.resources).toEqual(expected);
    expect(linux.cgroupsPath).toBe('/pods/p/c');
  });
});

describe('the profile of system calls', () => {
  it.each<[string, Case, string | undefined]>([
    ['the runtime’s', {}, 'SCMP_ACT_ERRNO'],
    ['none', { own: { seccompProfile: { type: 'Unconfined' } } }, undefined],
    [
      'none of the pod',
      { ofPod: { securityContext: { seccompProfile: { type: 'Unconfined' } } } },
      undefined,
    ],
    [
      'one of the machine',
      {
        own: { seccompProfile: { type: 'Localhost', localhostProfile: 'a' } },
        facts: { localProfile: LOCAL },
      },
      'SCMP_ACT_LOG',
    ],
    [
      'none of privileged ones',
      { own: { privileged: true, seccompProfile: { type: 'RuntimeDefault' } } },
      undefined,
    ],
  ])('is %s', (_what, given, expected) => {
    expect(configOf(given).linux.seccomp?.defaultAction).toBe(expected);
  });

  it('opens what the capabilities open', () => {
    const callsOf = (given: Case) => configOf(given).linux.seccomp?.syscalls?.flatMap(({ names }) => names);
    expect(callsOf({})).not.toContain('mount');
    expect(callsOf({ own: { capabilities: { add: ['SYS_ADMIN'] } } })).toContain('mount');
    const few = { ...AGENT, capabilities: [] };
    expect(callsOf({ own: { capabilities: { add: ['SYS_ADMIN'] } }, agent: few })).not.toContain('mount');
  });
});

describe('the paths of a bundle', () => {
  it.each<[string, Case, boolean, readonly string[]]>([
    ['usual', {}, true, []],
    ['read-only', { own: { readOnlyRootFilesystem: true } }, true, ['/usr']],
    ['privileged', PRIVILEGED, false, []],
    [
      'privileged and read-only',
      { own: { privileged: true, readOnlyRootFilesystem: true } },
      false,
      ['/usr'],
    ],
    ['unmasked', { own: { procMount: 'Unmasked', readOnlyRootFilesystem: true } }, false, ['/usr']],
  ])('%s', (_what, given, isMasked, readOnly) => {
    const { linux, root } = configOf(given);
    expect(linux.maskedPaths.includes('/proc/kcore')).toBe(isMasked);
    expect(linux.readonlyPaths.includes('/proc/sys')).toBe(isMasked);
    expect(linux.readonlyPaths.filter((path) => !path.startsWith('/proc'))).toEqual(readOnly);
    expect(root).toEqual({ path: 'rootfs', readonly: readOnly.length > 0 });
  });
});

describe('the mounts of a bundle', () => {
  it('come in their order: the image, the kernel’s, the machine’s files, the pod’s', () => {
    const mounts = [{ source: '/v', target: '/data', isReadOnly: true }];
    expect(configOf({ spec: { mounts } }).mounts.map(({ destination }) => destination)).toEqual([
      '/usr',
      '/proc',
      '/dev',
      '/dev/pts',
      '/dev/mqueue',
      '/dev/shm',
      '/sys',
      '/sys/fs/cgroup',
      '/data',
      '/etc/resolv.conf',
    ]);
  });

  it.each<[string, Case, string, object]>([
    [
      'an overlay',
      {},
      '/usr',
      {
        type: 'overlay',
        options: ['nodev', 'nosuid', 'lowerdir=/usr', 'upperdir=/a/layer/usr/u', 'workdir=/a/layer/usr/w'],
      },
    ],
    [
      'an overlay of an agent that is not root',
      { agent: ROOTLESS },
      '/usr',
      { options: expect.arrayContaining(['userxattr']) },
    ],
    [
      'a folder of the machine without overlays',
      { facts: { hasOverlays: false } },
      '/usr',
      { type: 'bind', source: '/usr', options: ['rbind', 'nosuid', 'nodev', 'ro', 'rro'] },
    ],
    [
      'the machine’s /sys, alone',
      {},
      '/sys',
      { type: 'bind', options: ['bind', 'nosuid', 'noexec', 'nodev', 'ro'] },
    ],
    [
      'the machine’s /sys without root, with all that is below',
      { agent: ROOTLESS },
      '/sys',
      { options: expect.arrayContaining(['rbind', 'ro', 'rro']) },
    ],
    ['its own groups', {}, '/sys/fs/cgroup', { type: 'cgroup', options: expect.arrayContaining(['ro']) }],
    ['its own processes', {}, '/proc', { type: 'proc' }],
    ['those of the machine', { ofPod: { hostPID: true } }, '/proc', { type: 'proc' }],
    ['its own shared memory', {}, '/dev/shm', { type: 'tmpfs' }],
    ['that of the machine', { ofPod: { hostIPC: true } }, '/dev/shm', { type: 'bind', source: '/dev/shm' }],
    ['all devices', PRIVILEGED, '/dev', { type: 'bind', source: '/dev', options: ['rbind'] }],
    [
      'the terminals of a group',
      {},
      '/dev/pts',
      { options: expect.arrayContaining(['gid=5', 'newinstance']) },
    ],
    [
      'a volume',
      { spec: { mounts: [{ source: '/v', target: '/d//e/../f/', isReadOnly: false }] } },
      '/d/f',
      { source: '/v', options: ['rbind', 'rprivate', 'rw'] },
    ],
    [
      'a volume that follows the machine',
      {
        spec: { mounts: [{ source: '/v', target: '/d', isReadOnly: true, propagation: 'HostToContainer' }] },
      },
      '/d',
      { options: ['rbind', 'rslave', 'ro'] },
    ],
    [
      'the last message',
      { spec: { terminationMessagePath: '/dev/end' } },
      '/dev/end',
      { source: '/a/message', options: ['rbind', 'rprivate', 'rw'] },
    ],
    [
      'a volume in the place of a file of the machine',
      { spec: { mounts: [{ source: '/v', target: '/etc/resolv.conf', isReadOnly: false }] } },
      '/etc/resolv.conf',
      { source: '/v' },
    ],
    [
      'a volume in the place of shared memory',
      { spec: { mounts: [{ source: '/v', target: '/dev/shm/', isReadOnly: false }] } },
      '/dev/shm',
      { source: '/v' },
    ],
  ])('%s', (_what, given, path, expected) => {
    const config = configOf(given);
    expect(mountAt(config, path)).toMatchObject(expected);
    expect(config.mounts.filter(({ destination }) => destination === path)).toHaveLength(1);
  });

  it('have no group of terminals where there is one group', () => {
    expect(mountAt(configOf({ agent: ROOTLESS }), '/dev/pts')?.options.join()).not.toContain('gid=');
  });

  it.each([
    ['/i/app:1,0', String.raw`lowerdir=/i/app\:1\,0/usr`],
    [String.raw`/i/a\b`, String.raw`lowerdir=/i/a\\b/usr`],
  ])('name the image %s as the kernel reads it', (image, expected) => {
    const root = { ...ROOT, mounts: [{ ...USR, source: `${image}/usr` }] };
    expect(mountAt(configOf({ spec: { image }, facts: { root } }), '/usr')?.options).toContain(expected);
  });

  it('name the layers as the kernel reads them', () => {
    const { options = [] } = mountAt(configOf({ facts: { attempt: '/x:y,z' } }), '/usr') ?? {};
    expect(options).toContain(String.raw`upperdir=/x:y\,z/layer/usr/u`);
  });

  it('have set-user-id programs in folders only', () => {
    expect(mountAt(configOf({ spec: FOLDER }), '/usr')?.options).not.toContain('nosuid');
  });

  it('put no file of the machine over the machine', () => {
    const root = { ...ROOT, mounts: [{ ...USR, isOpen: true }] };
    const config = configOf({ ...PRIVILEGED, facts: { root } });
    expect(mountAt(config, '/usr')).toMatchObject({ type: 'bind', options: ['rbind', 'rslave'] });
    expect(mountAt(config, '/etc/resolv.conf')).toBeUndefined();
  });

  it('reach the machine only where a volume says so', () => {
    const both = { source: '/v', target: '/d', isReadOnly: false, propagation: 'Bidirectional' as const };
    expect(configOf().linux.rootfsPropagation).toBe('rslave');
    expect(configOf({ spec: { mounts: [both] } }).linux.rootfsPropagation).toBe('rshared');
  });

  it.each([
    [{}, true, undefined],
    [{}, false, /readOnlyRootFilesystem/],
    [{ readonlyRootfs: true }, false, undefined],
    [{ privileged: true }, false, undefined],
  ])('%j with overlays: %s', (security, hasOverlays, expected) => {
    const fault = layerFault(security, hasOverlays);
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
  });
});
