/** What one attempt to place a pod takes in a large cluster, without any store. */
import { createPicture, type Picture } from '../../lambdas/scheduler/picture/picture.ts';
import { slimNode, slimPod } from '../../lambdas/scheduler/picture/slim.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { LABEL_HOSTNAME, LABEL_ZONE } from '../../shared/kube/types/well-known.ts';
import type { Attempt, Misfit, Placement } from '../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../shared/rules/scheduling/decide-placement.ts';
import { preempt } from '../../shared/rules/scheduling/preemption/preempt.ts';
import type { Bench, Figure } from './figures/figures.ts';
import { spread } from './figures/statistics.ts';
import { nodeName, uidOf } from './fleet/fleet.ts';
import { threadMs } from './host/watched.ts';

const NODES = 5_000;
const ATTEMPTS = 100;
const WARM_UP = 20;
const TARGET_MS = 20;
const ZONES = 3;
const APPS = 20;

const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName(index),
    uid: uidOf(nodeName(index)),
    labels: { [LABEL_HOSTNAME]: nodeName(index), [LABEL_ZONE]: `z${index % ZONES}` },
  },
  spec: {},
  status: { allocatable: { cpu: '32', memory: '128Gi', pods: '110' } },
});

type Labels = Readonly<Record<string, string>>;

const aPod = (name: string, labels: Labels, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: uidOf(name), labels },
  spec: { containers: [{ name: 'web', resources: { requests: { cpu: '100m', memory: '64Mi' } } }], ...spec },
  status: { phase: 'Pending' },
});

const ofApp = (app: string) => ({ labelSelector: { matchLabels: { app } } });

const apartByNode = (app: string) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL_HOSTNAME, ...ofApp(app) }],
    },
  },
});

/** Pods that are bound. */
interface Bound {
  readonly name: string;
  readonly count: number;
  readonly pod: (index: number, app: string) => Pod;
}

const replica = (index: number, app: string): Pod => aPod(`old-${index}`, { app });

/** As of a StatefulSet: no two pods have equal labels. */
const member = (index: number, app: string): Pod =>
  aPod(`old-${index}`, { app, 'statefulset.kubernetes.io/pod-name': `old-${index}` }, apartByNode('other'));

const BOUND: readonly Bound[] = [
  { name: '10,000 bound pods', count: 10_000, pod: replica },
  { name: '100,000 bound pods', count: 100_000, pod: replica },
  { name: '100,000 bound pods, each with a label of its own and anti-affinity', count: 100_000, pod: member },
];

const spreadOver = (topologyKey: string, whenUnsatisfiable: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable,
  ...ofApp('new'),
});

/** Pods to place, by what their rules have to look at. */
interface Kind {
  readonly name: string;
  readonly app: string;
  readonly spec: object;
}

const KINDS: readonly Kind[] = [
  { name: 'of a pod that asks for room only', app: 'new', spec: {} },
  {
    name: 'with two topology spread constraints',
    app: 'new',
    spec: {
      topologySpreadConstraints: [
        spreadOver(LABEL_ZONE, 'DoNotSchedule'),
        spreadOver(LABEL_HOSTNAME, 'ScheduleAnyway'),
      ],
    },
  },
  { name: 'with required anti-affinity by node', app: 'new', spec: apartByNode('new') },
  { name: 'with default spreading, as pod of a Service', app: 'app-1', spec: {} },
  {
    name: 'with preferred affinity to pods of another app by zone',
    app: 'new',
    spec: {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, podAffinityTerm: { topologyKey: LABEL_ZONE, ...ofApp('app-1') } },
          ],
        },
      },
    },
  },
  { name: 'of a pod that fits nowhere', app: 'new', spec: { nodeSelector: { nobody: 'has' } } },
  {
    name: 'of a pod that preempts all pods of a node',
    app: 'new',
    spec: { priority: 10, containers: [{ name: 'web', resources: { requests: { cpu: '32' } } }] },
  },
];

/** A Service of one app, which spreads its pods. */
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'app-1', namespace: 'default' },
  spec: { selector: { app: 'app-1' } },
};

const timed = <T>(work: () => T): readonly [result: T, ms: number] => {
  const startedAt = performance.now();
  const result = work();
  return [result, performance.now() - startedAt];
};

const onNode = (pod: Pod, name: string): Pod => ({ ...pod, spec: { ...pod.spec, nodeName: name } });

const aPicture = ({ count, pod }: Bound): Picture => {
  const picture = createPicture();
  picture.apply({ after: SERVICE });
  for (let index = 0; index < NODES; index += 1) picture.apply({ after: slimNode(aNode(index)) });
  for (let index = 0; index < count; index += 1) {
    const bound = onNode(pod(index, `app-${index % APPS}`), nodeName((index * 7) % NODES));
    picture.apply({ after: slimPod(bound) });
  }
  return picture;
};

interface Course {
  readonly attempts: readonly number[];
  /** Processor milliseconds of an attempt, as a mean: the system counts them in steps of up to 4 ms. */
  readonly cpuMs: number;
  /** Milliseconds for the picture, which has changed since the attempt before. */
  readonly pictures: readonly number[];
}

/** As the scheduler does: a pod that no node takes may preempt others. */
const tried = (pod: Pod, attempt: Attempt): Placement | Misfit => {
  const found = decidePlacement(pod, attempt);
  if (!('nodeName' in found)) preempt(pod, found, attempt, [], attempt.chance);
  return found;
};

const place = ({ app, spec }: Kind, picture: Picture): Course => {
  const attempts: number[] = [];
  const pictures: number[] = [];
  let startAt = 0;
  let cpuFrom = 0;
  for (let index = 0; index < WARM_UP + ATTEMPTS; index += 1) {
    const pod = slimPod(aPod(`new-${index}`, { app }, spec));
    const [cluster, pictureMs] = timed(() => picture.cluster());
    const [found, attemptMs] = timed(() => tried(pod, { cluster, chance: 0.5, startAt }));
    if ('nodeName' in found) {
      startAt = (startAt + found.judged) % NODES;
      picture.assume(onNode(pod, found.nodeName));
    }
    if (index === WARM_UP - 1) cpuFrom = threadMs();
    if (index < WARM_UP) continue;
    attempts.push(attemptMs + pictureMs);
    pictures.push(pictureMs);
  }
  return { attempts, pictures, cpuMs: (threadMs() - cpuFrom) / ATTEMPTS };
};

const figuresOf = (kind: Kind, bound: Bound): readonly Figure[] => {
  const { attempts, pictures, cpuMs } = place(kind, aPicture(bound));
  const name = `attempt ${kind.name}, ${bound.name}`;
  return [
    { name: `${name}: processor time`, unit: 'ms', value: cpuMs, target: { atMost: TARGET_MS } },
    { name: `${name}: wall time`, unit: 'ms', ...spread(attempts) },
    { name: `${name}: the picture of all nodes`, unit: 'ms', ...spread(pictures) },
  ];
};

/** Attempts at 5,000 nodes. */
export const schedulerAttempts: Bench = async () =>
  KINDS.flatMap((kind) => BOUND.flatMap((bound) => figuresOf(kind, bound)));
