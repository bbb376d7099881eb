/** A running pod of 5 KB, as the API server stores it after a kubelet has posted its status. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeName, T0, uidOf } from './fleet.ts';

const CONTAINERS = [0, 1, 2];
const SINCE = toTime(T0);

const digestOf = (text: string): string => (uidOf(text) + uidOf(`${text}/more`)).replaceAll('-', '');

const imageOf = (container: string): string =>
  `123456789012.dkr.ecr.us-east-1.amazonaws.com/team/${uidOf(container).slice(0, 8)}:v1.0.0`;

const containerOf = (pod: string, index: number) => ({
  name: `c${index}`,
  image: imageOf(`${pod}/${index}`),
  args: ['--config=/etc/app/config.yaml', `--listen=:${8080 + index}`],
  env: [0, 1, 2, 3].map((n) => ({ name: `SETTING_${n}`, value: uidOf(`${pod}/${index}/${n}`) })),
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
});

const containerStatusOf = (pod: string, index: number) => ({
  name: `c${index}`,
  ready: true,
  started: true,
  restartCount: 0,
  image: imageOf(`${pod}/${index}`),
  imageID: `sha256:${digestOf(`${pod}/${index}/image`)}`,
  containerID: `containerd://${digestOf(`${pod}/${index}`)}`,
  state: { running: { startedAt: SINCE } },
});

const tolerationOf = (condition: string) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
});

const conditionOf = (type: string) => ({ type, status: 'True' as const, lastTransitionTime: SINCE });

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

export const aBoundPod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: uidOf(name),
    generation: 1,
    creationTimestamp: SINCE,
    labels: { app: 'web', 'pod-template-hash': uidOf(name).slice(0, 8) },
  },
  spec: {
    nodeName: nodeName(1),
    terminationGracePeriodSeconds: 30,
    containers: CONTAINERS.map((index) => containerOf(name, index)),
    tolerations: ['not-ready', 'unreachable'].map(tolerationOf),
  },
  status: {
    phase: 'Running',
    podIP: '10.1.2.3',
    hostIP: '10.100.100.100',
    startTime: SINCE,
    conditions: CONDITIONS.map(conditionOf),
    containerStatuses: CONTAINERS.map((index) => containerStatusOf(name, index)),
  },
});
