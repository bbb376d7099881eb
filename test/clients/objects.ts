/** Objects that the tests make, with everything that clients print. */

const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastHeartbeatTime: '2026-01-02T03:04:05Z',
  lastTransitionTime: '2026-01-02T03:04:05Z',
});

const CONDITIONS = [
  condition(
    'MemoryPressure',
    'False',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
  ),
  condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
];

const NODE_INFO = {
  machineID: 'ec2a1f0e8c3b4c7d9e5f60718293a4b5',
  systemUUID: 'ec2a1f0e-8c3b-4c7d-9e5f-60718293a4b5',
  bootID: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
  kernelVersion: '6.1.0-test',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  containerRuntimeVersion: 'containerd://1.7.2',
  kubeletVersion: 'v1.34.4',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

/** As a kubelet registers it. */
export const aNode = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
  status: {
    capacity: { cpu: '4', memory: '16Gi', pods: '110' },
    allocatable: { cpu: '3800m', memory: '15Gi', pods: '110' },
    addresses: [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'Hostname', address: name },
    ],
    conditions: CONDITIONS,
    nodeInfo: NODE_INFO,
  },
});

const at = (instant: Date): string => instant.toISOString().replace(/\.\d+Z$/, 'Z');

/** Of a pod whose containers all run since `instant`. */
export const runningStatus = (names: readonly string[], instant: Date) => ({
  phase: 'Running',
  hostIP: '10.0.0.1',
  podIP: '10.1.0.1',
  podIPs: [{ ip: '10.1.0.1' }],
  startTime: at(instant),
  conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: at(instant),
  })),
  containerStatuses: names.map((name) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: 'example.org/app:1',
    imageID: 'example.org/app@sha256:0',
    containerID: `containerd://${name}`,
    state: { running: { startedAt: at(instant) } },
    lastState: {},
  })),
});
