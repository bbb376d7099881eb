import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { etcHosts } from '../../../../../agent/rules/cri/etc-hosts.ts';
import { sandboxConfig } from '../../../../../agent/rules/cri/sandbox-config.ts';

const podWith = (spec: object, metadata: object = {}): AgentPod =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  }) as unknown as AgentPod;

const configOf = (pod: AgentPod) =>
  sandboxConfig({
    pod,
    agent: 'rollcall-1',
    attempt: 2,
    hostname: 'web',
    logFolder: '/logs/shop_web_u1',
    cgroupParent: '/pods/podu1',
    resources: { cpuShares: 2 },
    dns: { resolvConf: 'nameserver 192.0.2.1', clusterDns: [], clusterDomain: '' },
  });

describe('what a runtime is told of a pod', () => {
  it('is what a kubelet tells', () => {
    const pod = podWith({}, { labels: { app: 'web' }, annotations: { note: 'x' } });
    expect(configOf(pod)).toEqual({
      metadata: { name: 'web', namespace: 'shop', uid: 'u1', attempt: 2 },
      hostname: 'web',
      logDirectory: '/logs/shop_web_u1',
      dnsConfig: { servers: ['192.0.2.1'], searches: [], options: [] },
      portMappings: [],
      labels: {
        app: 'web',
        'io.kubernetes.pod.name': 'web',
        'io.kubernetes.pod.namespace': 'shop',
        'io.kubernetes.pod.uid': 'u1',
        'rollcall.dev/agent': 'rollcall-1',
      },
      annotations: { note: 'x' },
      linux: {
        cgroupParent: '/pods/podu1',
        securityContext: {
          namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD' },
          privileged: false,
          seccomp: { profileType: 'RuntimeDefault' },
          supplementalGroups: [],
        },
        sysctls: {},
        resources: { cpuShares: 2 },
      },
    });
  });

  it.each([
    ['the network of the host', { hostNetwork: true }, { network: 'NODE', pid: 'CONTAINER', ipc: 'POD' }],
    ['the processes of the host', { hostPID: true }, { network: 'POD', pid: 'NODE', ipc: 'POD' }],
    ['the IPC of the host', { hostIPC: true }, { network: 'POD', pid: 'CONTAINER', ipc: 'NODE' }],
    ['shared processes', { shareProcessNamespace: true }, { network: 'POD', pid: 'POD', ipc: 'POD' }],
  ])('gives it %s', (_, spec, expected) => {
    expect(configOf(podWith(spec)).linux?.securityContext?.namespaceOptions).toEqual(expected);
  });

  it('has no name of its own on the network of the host', () => {
    expect(configOf(podWith({ hostNetwork: true }))).not.toHaveProperty('hostname');
  });

  it('maps ports, and passes groups, kernel parameters and the user of the sandbox', () => {
    const config = configOf(
      podWith({
        containers: [
          { name: 'c', ports: [{ containerPort: 80, hostPort: 8080, hostIP: '192.0.2.1' }] },
          {
            name: 'd',
            ports: [{ containerPort: 53, protocol: 'UDP' }],
            securityContext: { privileged: true },
          },
        ],
        securityContext: {
          runAsUser: 1,
          runAsGroup: 2,
          fsGroup: 3,
          supplementalGroups: [4],
          sysctls: [{ name: 'net.core.somaxconn', value: '9' }],
        },
      }),
    );
    expect(config.portMappings).toEqual([
      { protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '192.0.2.1' },
      { protocol: 'UDP', containerPort: 53, hostPort: 0, hostIp: '' },
    ]);
    expect(config.linux?.sysctls).toEqual({ 'net.core.somaxconn': '9' });
    expect(config.linux?.securityContext).toMatchObject({
      privileged: true,
      runAsUser: { value: 1 },
      runAsGroup: { value: 2 },
      supplementalGroups: [3, 4],
    });
  });
});

describe('the hosts of a pod', () => {
  const aliases = { hostAliases: [{ ip: '192.0.2.7', hostnames: ['a', 'b'] }] };

  it('has its own addresses and its aliases', () => {
    expect(etcHosts(podWith(aliases), 'web', ['10.0.0.5'], () => 'unused')).toBe(
      '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n' +
        'fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n' +
        '10.0.0.5\tweb\n\n# Entries added by HostAliases.\n192.0.2.7\ta\tb\n',
    );
  });

  it('has those of the node on its network, and none before there is an address', () => {
    const onHost = podWith({ hostNetwork: true });
    expect(etcHosts(onHost, 'm1', [], () => '127.0.0.1 m1\n')).toBe(
      '# Kubernetes-managed hosts file (host network).\n127.0.0.1 m1\n',
    );
    expect(etcHosts(podWith({}), 'web', [], () => '')).toBeUndefined();
  });
});
