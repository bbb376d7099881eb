/** The objects that the fleet's machines write. */
import type { Node, Pod, Toleration } from '../../shared/api/core.ts';
import { toTime } from '../../shared/api/time.ts';
import { LABEL_ZONE, TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../shared/api/well-known.ts';
import type { PlannedMachine, PlannedPod } from './plan.ts';

/** The namespace of the fleet's pods. */
export const FLEET_NAMESPACE = 'default';
/** Grace period of pods in seconds; short, so that the demonstration does not wait for it. */
const GRACE_SECONDS = 5;
const CONTAINER = 'web';
const IMAGE = 'registry.k8s.io/pause:3.10';

const CAPACITY = { cpu: '4', memory: '8Gi', pods: '110' };

/** Marks Nodes of simulated machines. */
const SIMULATED = 'Simulated machine';

export const isSimulated = ({ status }: Node): boolean =>
  (status?.['nodeInfo'] as { readonly osImage?: string } | undefined)?.osImage === SIMULATED;

const NODE_INFO = {
  kubeletVersion: 'v1.34.4',
  kernelVersion: '6.12.0',
  osImage: SIMULATED,
  containerRuntimeVersion: 'simulated://1.0',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

/** An address of the benchmark network of RFC 2544, from the number in the machine's name. */
const addressOf = (name: string): string => {
  const number = Number(name.slice(1)) % 2 ** 17;
  return `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
};

export const nodeOf = ({ name, zone }: PlannedMachine): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [LABEL_ZONE]: zone, 'kubernetes.io/hostname': name } },
  status: {
    capacity: CAPACITY,
    addresses: [
      { type: 'InternalIP', address: addressOf(name) },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: NODE_INFO,
  },
});

const tolerationOf =
  (tolerationSeconds: number) =>
  (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });

export const podOf = ({ name }: PlannedMachine, pod: PlannedPod): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: pod.name, namespace: FLEET_NAMESPACE, labels: { app: 'web' } },
  spec: {
    nodeName: name,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    containers: [{ name: CONTAINER, image: IMAGE }],
    tolerations: [TAINT_NOT_READY, TAINT_UNREACHABLE].map(tolerationOf(pod.tolerationSeconds)),
  },
});

const GOOD = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The status that a healthy kubelet posts at `now` (ms); a condition that did not change keeps its transition time. */
export const kubeletStatus = (before: Node, now: number): { readonly status: object } => {
  const time = toTime(now);
  const condition = (type: string, status: string, reason: string, message: string): object => {
    const was = before.status?.conditions?.find((one) => one.type === type);
    const lastTransitionTime = was?.status === status ? was.lastTransitionTime : time;
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime };
  };
  const conditions = [
    ...GOOD.map(([type, reason, message]) => condition(type, 'False', reason, message)),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
  return { status: { ...before.status, conditions } };
};

const runningContainer = (name: string, image: string, startedAt: string): object => ({
  name,
  image,
  imageID: '',
  ready: true,
  started: true,
  restartCount: 0,
  state: { running: { startedAt } },
});

/** The status of a pod that runs. */
export const runningPod = (now: number): { readonly status: object } => {
  const time = toTime(now);
  const condition = (type: string): object => ({ type, status: 'True', lastTransitionTime: time });
  return {
    status: {
      phase: 'Running',
      startTime: time,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      containerStatuses: [runningContainer(CONTAINER, IMAGE, time)],
    },
  };
};

/** Whether the status of a pod says that it runs. */
export const isRunningPod = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
