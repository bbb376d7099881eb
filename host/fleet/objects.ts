/** The objects that the fleet's machines write. */
import type { Node, Pod, Toleration } from '../../shared/kube/types/core.ts';
import { LABEL_ZONE, TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../shared/kube/types/well-known.ts';
import type { PodTemplateSpec } from '../../shared/kube/types/workloads.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import { isFinished } from '../../shared/rules/pods/deletion.ts';
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

type Container = { readonly name: string; readonly image: string };

const containerStatus = ({ name, image }: Container, isRunning: boolean, state: object): object => ({
  name,
  image,
  imageID: '',
  ready: isRunning,
  started: isRunning,
  restartCount: 0,
  state,
});

const containersOf = (spec: Pod['spec']) => (spec['containers'] ?? []) as readonly Container[];

/** A part of a pod's status, as the machine patches it. */
export interface PodReport {
  readonly status: object;
}

const runningPod = ({ spec }: Pod, time: string): PodReport => {
  const condition = (type: string): object => ({ type, status: 'True', lastTransitionTime: time });
  return {
    status: {
      phase: 'Running',
      startTime: time,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      containerStatuses: containersOf(spec).map((one) =>
        containerStatus(one, true, { running: { startedAt: time } }),
      ),
    },
  };
};

// As a kubelet reports it: kubernetes v1.34 pkg/kubelet/status `GeneratePodReadyCondition`.
const completedPod = ({ spec, status }: Pod, time: string): PodReport => {
  const condition = (type: string): object => ({
    type,
    status: 'False',
    reason: 'PodCompleted',
    lastTransitionTime: time,
  });
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: status?.['startTime'], finishedAt: time };
  return {
    status: {
      phase: 'Succeeded',
      conditions: ['ContainersReady', 'Ready'].map(condition),
      containerStatuses: containersOf(spec).map((one) => containerStatus(one, false, { terminated })),
    },
  };
};

const isRunningPod = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** Whether its containers end by themselves: those of Jobs do, and those of hooks and tests of a chart. */
const runsToCompletion = ({ spec }: Pod): boolean => (spec['restartPolicy'] ?? 'Always') !== 'Always';

/**
 * What the machine reports about a pod at `now` (ms): that it runs, and, if its containers are not always restarted, then
 * that they have ended. `undefined` if there is nothing to report: a pod that has ended never runs again.
 */
export const podReport = (pod: Pod, now: number): PodReport | undefined => {
  if (isFinished(pod)) return undefined;
  if (!isRunningPod(pod)) return runningPod(pod, toTime(now));
  return runsToCompletion(pod) ? completedPod(pod, toTime(now)) : undefined;
};
