/** The objects that the fleet's machines write. */
import type { Node, Pod, Toleration } from '../../shared/kube/types/core.ts';
import { LABEL_ZONE, TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../shared/kube/types/well-known.ts';
import type { PodTemplateSpec } from '../../shared/kube/types/workloads.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { PlannedMachine } from './plan.ts';

/** The namespace of the fleet's workloads. */
export const FLEET_NAMESPACE = 'default';
/** Grace period of pods in seconds; short, so that the demonstration does not wait for it. */
const GRACE_SECONDS = 5;
const IMAGE = 'registry.k8s.io/pause:3.10';

/** What each pod requests: some forty of them fill a machine. */
const REQUESTS = { cpu: '100m', memory: '64Mi' };

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
    allocatable: CAPACITY,
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

/** The template of the pods of `app`. Absent seconds: the owner's controller or the API decides about tolerations. */
export const templateOf = (app: string, tolerationSeconds?: number): PodTemplateSpec => ({
  metadata: { labels: { app } },
  spec: {
    terminationGracePeriodSeconds: GRACE_SECONDS,
    containers: [{ name: app, image: IMAGE, resources: { requests: REQUESTS } }],
    ...(tolerationSeconds === undefined
      ? {}
      : { tolerations: [TAINT_NOT_READY, TAINT_UNREACHABLE].map(tolerationOf(tolerationSeconds)) }),
  },
});

const GOOD = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The conditions that a healthy kubelet posts at `now` (ms), which are merged with others; a condition that did not change keeps its transition time. */
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
  return { status: { conditions } };
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

const containersOf = (spec: Pod['spec']) =>
  (spec['containers'] ?? []) as readonly { readonly name: string; readonly image: string }[];

/** The status of a pod that runs. */
export const runningPod = ({ spec }: Pod, now: number): { readonly status: object } => {
  const time = toTime(now);
  const condition = (type: string): object => ({ type, status: 'True', lastTransitionTime: time });
  return {
    status: {
      phase: 'Running',
      startTime: time,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      containerStatuses: containersOf(spec).map(({ name, image }) => runningContainer(name, image, time)),
    },
  };
};

/** Whether the status of a pod says that it runs. */
export const isRunningPod = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
