/** What one attempt to place a pod takes in a large cluster, without any store. */
import { createPicture, type Picture } from '../../lambdas/scheduler/picture.ts';
import { slimNode, slimPod } from '../../lambdas/scheduler/slim.ts';
import type { Node, Pod } from '../../shared/api/core.ts';
import { LABEL_HOSTNAME, LABEL_ZONE } from '../../shared/api/well-known.ts';
import { decidePlacement } from '../../shared/domain/scheduling/decide-placement.ts';
import type { Bench, Figure } from './figures.ts';
import { nodeName, uidOf } from './fleet.ts';
import { spread } from './statistics.ts';

const NODES = 5_000;
const BOUND_PODS = [10_000, 100_000];
const ATTEMPTS = 100;
const WARM_UP = 20;
const TARGET_MS = 20;
const ZONES = 3;
const APPS = 20;

const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    ...{ name: nodeName(index), uid: uidOf(nodeName(index)) },
    labels: { [LABEL_HOSTNAME]: nodeName(index), [LABEL_ZONE]: `z${index % ZONES}` },
  },
  spec: {},
  status: { allocatable: { cpu: '32', memory: '128Gi', pods: '110' } },
});

const aPod = (name: string, app: string, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: uidOf(name), labels: { app } },
  spec: { containers: [{ name: 'web', resources: { requests: { cpu: '100m', memory: '64Mi' } } }], ...spec },
  status: { phase: 'Pending' },
});

const ofApp = (app: string) => ({ labelSelector: { matchLabels: { app } } });

/** Kinds of pods to place, by what their rules have to look at. */
const KINDS: readonly (readonly [name: string, spec: object])[] = [
  ['of a pod that asks for room only', {}],
  [
    'with two topology spread constraints',
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: LABEL_ZONE, whenUnsatisfiable: 'DoNotSchedule', ...ofApp('new') },
        { maxSkew: 1, topologyKey: LABEL_HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', ...ofApp('new') },
      ],
    },
  ],
  [
    'with required anti-affinity by node',
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL_HOSTNAME, ...ofApp('new') }],
        },
      },
    },
  ],
  ['of a pod that fits nowhere', { nodeSelector: { nobody: 'has' } }],
];

const timed = <T>(work: () => T): readonly [result: T, ms: number] => {
  const startedAt = performance.now();
  const result = work();
  return [result, performance.now() - startedAt];
};

const aPicture = (pods: number): Picture => {
  const picture = createPicture();
  for (let index = 0; index < NODES; index += 1)
    picture.apply({ before: undefined, after: slimNode(aNode(index)) });
  for (let index = 0; index < pods; index += 1) {
    const pod = aPod(`old-${index}`, `app-${index % APPS}`, { nodeName: nodeName(index % NODES) });
    picture.apply({ before: undefined, after: slimPod(pod) });
  }
  return picture;
};

interface Course {
  readonly attempts: readonly number[];
  /** Milliseconds for the picture, which has changed since the attempt before. */
  readonly pictures: readonly number[];
}

const place = (spec: object, pods: number): Course => {
  const picture = aPicture(pods);
  const attempts: number[] = [];
  const pictures: number[] = [];
  let startAt = 0;
  for (let index = 0; index < WARM_UP + ATTEMPTS; index += 1) {
    const pod = slimPod(aPod(`new-${index}`, 'new', spec));
    const [cluster, pictureMs] = timed(() => picture.cluster());
    const [found, attemptMs] = timed(() => decidePlacement(pod, { cluster, chance: 0.5, startAt }));
    if ('nodeName' in found) {
      startAt = (startAt + found.judged) % NODES;
      picture.assume({ ...pod, spec: { ...pod.spec, nodeName: found.nodeName } });
    }
    if (index < WARM_UP) continue;
    attempts.push(attemptMs + pictureMs);
    pictures.push(pictureMs);
  }
  return { attempts, pictures };
};

const figuresOf = (kind: string, spec: object, pods: number): readonly Figure[] => {
  const { attempts, pictures } = place(spec, pods);
  const name = `attempt ${kind}, ${pods.toLocaleString('en')} bound pods`;
  return [
    { name, unit: 'ms', ...spread(attempts), target: { atMost: TARGET_MS } },
    { name: `${name}: the picture of all nodes`, unit: 'ms', ...spread(pictures) },
  ];
};

/** Attempts at 5,000 nodes. They wait for nothing, so on a free machine their time is processor time. */
export const schedulerAttempts: Bench = async () =>
  KINDS.flatMap(([kind, spec]) => BOUND_PODS.flatMap((pods) => figuresOf(kind, spec, pods)));
