import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import type { Container } from '../../../../../agent/rules/containers/container.ts';
import { containerConfig } from '../../../../../agent/rules/cri/container-config.ts';
import { linuxResources } from '../../../../../agent/rules/cri/linux-resources.ts';
import { type ImageUser, rootFault } from '../../../../../agent/rules/cri/security-context.ts';

const podWith = (spec: object = {}): AgentPod =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
    spec: { containers: [], terminationGracePeriodSeconds: 5, ...spec },
  }) as unknown as AgentPod;

const configOf = (fields: Partial<Container> = {}, spec: object = {}, imageUser: ImageUser = {}, more = {}) =>
  containerConfig({
    pod: podWith(spec),
    container: { name: 'c', image: 'shell:1', ...fields },
    agent: 'a',
    restartCount: 3,
    imageRef: 'sha256:1',
    imageUser,
    command: ['/bin/sh'],
    args: ['-c', 'x'],
    environment: { A: '1' },
    mounts: [],
    resources: {},
    seccomp: { profiles: '/profiles', isDefault: false },
    ...more,
  });
const securityOf = (...given: Parameters<typeof configOf>) => configOf(...given).linux?.securityContext;

describe('what a runtime is told of a container', () => {
  it('is what a kubelet tells', () => {
    const ports = [{ containerPort: 80 }];
    const preStop = { exec: { command: ['true'] } };
    const config = configOf({ ports, lifecycle: { preStop }, terminationMessagePath: '/m', tty: true });
    expect(config).toMatchObject({
      metadata: { name: 'c', attempt: 3 },
      image: { image: 'sha256:1', userSpecifiedImage: 'shell:1' },
      command: ['/bin/sh'],
      args: ['-c', 'x'],
      envs: [{ key: 'A', value: '1' }],
      logPath: 'c/3.log',
      tty: true,
      stdin: false,
      labels: {
        'io.kubernetes.pod.name': 'web',
        'io.kubernetes.pod.namespace': 'shop',
        'io.kubernetes.pod.uid': 'u1',
        'io.kubernetes.container.name': 'c',
        'rollcall.dev/agent': 'a',
      },
      annotations: {
        'io.kubernetes.container.restartCount': '3',
        'io.kubernetes.container.terminationMessagePath': '/m',
        'io.kubernetes.container.ports': JSON.stringify(ports),
        'io.kubernetes.container.preStopHandler': JSON.stringify(preStop),
        'io.kubernetes.pod.terminationGracePeriod': '5',
        'rollcall.dev/wanted-image': 'shell:1',
      },
    });
    expect(config).not.toHaveProperty('stopSignal');
  });

  it('has mounts with their propagation, and a stop signal that the CRI knows', () => {
    const mounts = [
      { source: '/a', target: '/b', isReadOnly: true },
      { source: '/c', target: '/d', isReadOnly: false, propagation: 'Bidirectional' },
    ];
    expect(configOf({}, {}, {}, { mounts }).mounts).toEqual([
      { hostPath: '/a', containerPath: '/b', readonly: true },
      { hostPath: '/c', containerPath: '/d', readonly: false, propagation: 'PROPAGATION_BIDIRECTIONAL' },
    ]);
    expect(configOf({}, {}, {}, { stopSignal: 'SIGUSR1' }).stopSignal).toBe('SIGUSR1');
    expect(configOf({}, {}, {}, { stopSignal: 'SIGNOTHING' })).not.toHaveProperty('stopSignal');
  });

  it.each([
    [
      'the container',
      { securityContext: { runAsUser: 7 } },
      { runAsUser: 8 },
      { uid: 9 },
      { runAsUser: { value: 7 } },
    ],
    ['the pod', {}, { runAsUser: 8 }, { uid: 9 }, { runAsUser: { value: 8 } }],
    ['the image, by number', {}, {}, { uid: 9 }, { runAsUser: { value: 9 } }],
    ['the image, by name', {}, {}, { name: 'www' }, { runAsUsername: 'www' }],
    [
      'a group alone, with the user of the image',
      {},
      { runAsGroup: 5 },
      { uid: 0 },
      { runAsUser: { value: 0 }, runAsGroup: { value: 5 } },
    ],
  ])('runs as the user of %s', (_, fields, securityContext, image, expected) => {
    expect(securityOf(fields, { securityContext }, image)).toMatchObject(expected);
  });

  it.each([
    ['no profile', {}, {}, { profileType: 'Unconfined' }],
    ['that of the runtime', { type: 'RuntimeDefault' }, {}, { profileType: 'RuntimeDefault' }],
    [
      'that of the pod',
      undefined,
      { seccompProfile: { type: 'RuntimeDefault' } },
      { profileType: 'RuntimeDefault' },
    ],
    [
      'its own before the pod',
      { type: 'Unconfined' },
      { seccompProfile: { type: 'RuntimeDefault' } },
      { profileType: 'Unconfined' },
    ],
    [
      'one of the node',
      { type: 'Localhost', localhostProfile: 'p.json' },
      {},
      { profileType: 'Localhost', localhostRef: '/profiles/p.json' },
    ],
  ])('filters system calls by %s', (_, seccompProfile, ofPod, expected) => {
    const fields = seccompProfile ? { securityContext: { seccompProfile } } : {};
    expect(securityOf(fields, { securityContext: ofPod })?.seccomp).toEqual(expected);
  });

  it('filters by the runtime where that is the default of the node', () => {
    const seccomp = { profiles: '/profiles', isDefault: true };
    expect(securityOf({}, {}, {}, { seccomp })?.seccomp).toEqual({ profileType: 'RuntimeDefault' });
  });

  it('passes capabilities, privileges and masks', () => {
    const strict = securityOf({
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        appArmorProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(strict).toMatchObject({
      readonlyRootfs: true,
      noNewPrivs: true,
      privileged: false,
      capabilities: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['ALL'] },
      apparmor: { profileType: 'RuntimeDefault' },
    });
    expect(strict?.maskedPaths).toContain('/proc/kcore');
    expect(strict?.readonlyPaths).toContain('/proc/sys');
    const open = securityOf({ securityContext: { privileged: true, procMount: 'Unmasked' } });
    expect(open).toMatchObject({ privileged: true, noNewPrivs: false, maskedPaths: [], readonlyPaths: [] });
  });
});

describe('a container that may not run as root', () => {
  const fault = (own: object, image: ImageUser) =>
    rootFault(
      podWith({ securityContext: { runAsNonRoot: true } }),
      { name: 'c', securityContext: own },
      image,
    );

  // Source: kubernetes v1.34 `verifyRunAsNonRoot`.
  it.each([
    ['with a user of its own', { runAsUser: 5 }, {}, undefined],
    ['with root by its own words', { runAsUser: 0 }, {}, /^container's runAsUser breaks non-root policy/],
    ['by the number of the image', {}, { uid: 5 }, undefined],
    ['by an image of root', {}, { uid: 0 }, /image will run as root/],
    ['by an image that says nothing', {}, {}, /image will run as root/],
    ['by a name, which nobody can check', {}, { name: 'www' }, /has non-numeric user \(www\), cannot verify/],
    ['unless it says otherwise', { runAsNonRoot: false }, { uid: 0 }, undefined],
  ] as const)('%s', (_, own, image, expected) => {
    const found = fault(own, image);
    if (expected) expect(found).toMatch(expected);
    else expect(found).toBeUndefined();
  });
});

describe('what a container may take', () => {
  const V1 = { isVersion2: false, boundsSwap: true, killsSingleProcess: true };
  const V2 = { isVersion2: true, boundsSwap: true, killsSingleProcess: false };

  it.each([
    ['nothing at all', {}, V1, { cpuShares: 2 }],
    ['a request', { cpuRequestMilli: 250 }, V1, { cpuShares: 256 }],
    [
      'limits',
      { cpuLimitMilli: 500, memoryLimitBytes: 100 },
      V1,
      { cpuShares: 512, cpuQuota: 50_000, memoryLimitInBytes: 100, memorySwapLimitInBytes: 100 },
    ],
    [
      'swap',
      { memoryLimitBytes: 100, swapMaxBytes: 20 },
      V2,
      { memorySwapLimitInBytes: 120, unified: { 'memory.oom.group': '1' } },
    ],
    [
      'no account of swap',
      { memoryLimitBytes: 100 },
      { ...V1, boundsSwap: false },
      { memoryLimitInBytes: 100 },
    ],
    [
      'CPUs and memory of its own',
      { cpus: '0-1', memoryNodes: '0' },
      V1,
      { cpusetCpus: '0-1', cpusetMems: '0' },
    ],
    ['one process killed alone', {}, { ...V2, killsSingleProcess: true }, {}],
  ])('%s', (_, bounds, abilities, expected) => {
    const resources = linuxResources(bounds, abilities, -997);
    expect(resources).toMatchObject({ ...expected, cpuPeriod: 100_000, oomScoreAdj: -997 });
    if (!('memorySwapLimitInBytes' in expected))
      expect(resources).not.toHaveProperty('memorySwapLimitInBytes');
    if (!('unified' in expected)) expect(resources).not.toHaveProperty('unified');
  });
});
