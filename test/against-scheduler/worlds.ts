/** Random clusters, each with one pod to place. The same seed makes the same one. */
import { type Chance, createChance } from '../../shared/adapters/hostile/chance.ts';

export const NAMESPACES = ['pairs-a', 'pairs-b'] as const;
/** Labels by which terms of affinity select the second namespace. */
export const TEAM = { team: 't1' };
/** Values of priority classes; the last one preempts nobody. */
export const CLASSES = [
  { name: 'pairs-0', value: 0 },
  { name: 'pairs-10', value: 10 },
  { name: 'pairs-20', value: 20 },
  { name: 'pairs-never', value: 20, preemptionPolicy: 'Never' },
] as const;

type Labels = Readonly<Record<string, string>>;

export interface WorldNode {
  readonly name: string;
  readonly labels: Labels;
  readonly spec: object;
  readonly status: object;
}

export interface WorldPod {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: object;
  readonly phase: string;
  /** RFC 3339. */
  readonly startTime: string;
  /** It is being deleted, and a finalizer holds it. */
  readonly isLeaving: boolean;
}

export interface World {
  readonly nodes: readonly WorldNode[];
  readonly bound: readonly WorldPod[];
  /** Selector of a Service, by which pods without constraints of their own are spread. */
  readonly serviceOf?: string;
  /** Selector of a budget. */
  readonly budgetOf?: string;
  readonly pod: { readonly name: string; readonly labels: Labels; readonly spec: object };
}

const APPS = ['a', 'b', 'c'];
const TIERS = ['x', 'y'];
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const TOPOLOGY_KEYS = [HOSTNAME, ZONE, ZONE, 'rack', 'disk'];
const EFFECTS = ['NoSchedule', 'NoExecute', 'PreferNoSchedule', 'PreferNoSchedule'];
const GPU = 'example.com/gpu';
const IMAGE = { names: ['i:latest', 'i'], sizeBytes: 300 * 1024 * 1024 };
const FIRST_START = Date.UTC(2026, 0, 1);

/** What a world is made with. */
interface Draw extends Chance {
  /** A whole number below `end`. */
  int(end: number): number;
  pick<T>(from: readonly T[]): T;
  /** `make` once for each of up to `most`, at least one. */
  some<T>(most: number, make: () => T): T[];
}

const createDraw = (seed: number): Draw => {
  const chance = createChance(seed);
  const int = (end: number): number => Math.floor(chance.next() * end);
  return {
    ...chance,
    int,
    pick: (from) => from[int(from.length)] as (typeof from)[number],
    some: (most, make) => Array.from({ length: 1 + int(most) }, make),
  };
};

/** Members that are `undefined` are left out of requests. */
const maybe = <T>(draw: Draw, probability: number, make: () => T): T | undefined =>
  draw.hit(probability) ? make() : undefined;

const firstOfEach = <T>(all: readonly T[], key: (one: T) => string): T[] => [
  ...new Map(all.map((one) => [key(one), one])).values(),
];

const taints = (draw: Draw): object[] => {
  const all = draw.some(2, () => ({
    key: draw.pick(['k1', 'k2']),
    value: maybe(draw, 0.6, () => draw.pick(['v1', 'v2'])),
    effect: draw.pick(EFFECTS),
  }));
  return firstOfEach(all, ({ key, effect }) => key + effect);
};

const toleration = (draw: Draw): object => {
  const isAny = draw.hit(0.4);
  return {
    key: isAny && draw.hit(0.1) ? undefined : draw.pick(['k1', 'k2']),
    operator: isAny ? 'Exists' : 'Equal',
    value: isAny ? undefined : draw.pick(['v1', 'v2', '']),
    effect: maybe(draw, 0.6, () => draw.pick(EFFECTS)),
  };
};

const node = (draw: Draw, name: string): WorldNode => {
  const allocatable = {
    cpu: draw.pick(['1', '2', '4', '1500m']),
    memory: draw.pick(['1Gi', '2Gi', '8Gi']),
    pods: draw.pick(['3', '5', '110', '110']),
    'ephemeral-storage': draw.pick(['10Gi', '1Gi']),
    ...maybe(draw, 0.4, () => ({ [GPU]: String(draw.int(3)) })),
  };
  return {
    name,
    labels: {
      [HOSTNAME]: name,
      ...maybe(draw, 0.85, () => ({ [ZONE]: draw.pick(['z1', 'z2', 'z3']) })),
      ...maybe(draw, 0.7, () => ({ disk: draw.pick(['ssd', 'hdd']) })),
      ...maybe(draw, 0.5, () => ({ num: String(draw.int(20)) })),
      ...maybe(draw, 0.5, () => ({ rack: draw.pick(['r1', 'r2', 'r3']) })),
    },
    spec: {
      unschedulable: draw.hit(0.08) ? true : null,
      taints: draw.hit(0.35) ? taints(draw) : [],
    },
    status: { allocatable, capacity: allocatable, images: draw.hit(0.3) ? [IMAGE] : [] },
  };
};

const labels = (draw: Draw): Labels => ({
  ...maybe(draw, 0.9, () => ({ app: draw.pick(APPS) })),
  ...maybe(draw, 0.4, () => ({ tier: draw.pick(TIERS) })),
  ...maybe(draw, 0.6, () => ({ rev: draw.pick(['1', '2']) })),
});

/** None names the label `rev`, which label keys name. */
const selector = (draw: Draw): object => {
  const anyKey = () => draw.pick(['app', 'tier']);
  return draw.pick([
    () => ({ matchLabels: { app: draw.pick(APPS) } }),
    () => ({ matchLabels: { app: draw.pick(APPS) } }),
    () => ({ matchLabels: { tier: draw.pick(TIERS) } }),
    () => ({ matchExpressions: [{ key: anyKey(), operator: draw.pick(['Exists', 'DoesNotExist']) }] }),
    () => ({
      matchExpressions: [
        { key: anyKey(), operator: draw.pick(['In', 'NotIn']), values: [draw.pick(APPS), draw.pick(TIERS)] },
      ],
    }),
    () => ({}),
  ])();
};

const affinityTerm = (draw: Draw): object => ({
  topologyKey: draw.pick(TOPOLOGY_KEYS),
  labelSelector: selector(draw),
  namespaces: maybe(draw, 0.15, () => [draw.pick(NAMESPACES)]),
  namespaceSelector: maybe(draw, 0.15, () => draw.pick([{}, { matchLabels: TEAM }])),
  matchLabelKeys: maybe(draw, 0.4, () => ['rev']),
});

const weighted = <T>(draw: Draw, name: string, make: () => T): object => ({
  weight: 1 + draw.int(100),
  [name]: make(),
});

const affinityBetweenPods = (draw: Draw, probability: number): object | undefined =>
  maybe(draw, probability, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: maybe(draw, 0.6, () =>
      draw.some(2, () => affinityTerm(draw)),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: maybe(draw, 0.6, () =>
      draw.some(2, () => weighted(draw, 'podAffinityTerm', () => affinityTerm(draw))),
    ),
  }));

const nodeExpression = (draw: Draw): object => {
  const operator = draw.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
  if (operator === 'Gt' || operator === 'Lt') return { key: 'num', operator, values: [String(draw.int(20))] };
  const key = draw.pick(['disk', 'num', 'rack', ZONE, 'none']);
  const values = [draw.pick(['ssd', 'z1', 'r1', '3']), draw.pick(['hdd', 'z2', 'r2', '5'])];
  return { key, operator, values: operator.endsWith('In') ? values : undefined };
};

const nodeTerm = (draw: Draw, names: readonly string[]): object => ({
  matchExpressions: maybe(draw, 0.9, () => draw.some(2, () => nodeExpression(draw))),
  matchFields: maybe(draw, 0.15, () => [
    { key: 'metadata.name', operator: draw.pick(['In', 'NotIn']), values: [draw.pick(names)] },
  ]),
});

const nodeAffinity = (draw: Draw, names: readonly string[], probability: number): object | undefined =>
  maybe(draw, probability, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: maybe(draw, 0.6, () => ({
      nodeSelectorTerms: draw.some(2, () => nodeTerm(draw, names)),
    })),
    preferredDuringSchedulingIgnoredDuringExecution: maybe(draw, 0.6, () =>
      draw.some(2, () => weighted(draw, 'preference', () => nodeTerm(draw, names))),
    ),
  }));

const spreads = (draw: Draw): object[] => {
  const all = draw.some(2, () => {
    const whenUnsatisfiable = draw.pick(['DoNotSchedule', 'ScheduleAnyway']);
    const isHard = whenUnsatisfiable === 'DoNotSchedule';
    return {
      maxSkew: 1 + draw.int(2),
      topologyKey: draw.pick(TOPOLOGY_KEYS),
      whenUnsatisfiable,
      labelSelector: selector(draw),
      minDomains: isHard ? maybe(draw, 0.2, () => 1 + draw.int(3)) : undefined,
      nodeAffinityPolicy: maybe(draw, 0.2, () => draw.pick(['Honor', 'Ignore'])),
      nodeTaintsPolicy: maybe(draw, 0.2, () => draw.pick(['Honor', 'Ignore'])),
      matchLabelKeys: maybe(draw, 0.4, () => ['rev']),
    };
  });
  return firstOfEach(all, ({ topologyKey, whenUnsatisfiable }) => topologyKey + whenUnsatisfiable);
};

const resources = (draw: Draw): object => {
  const gpu = maybe(draw, 0.12, () => ({ [GPU]: '1' }));
  return {
    requests: {
      cpu: maybe(draw, 0.7, () => draw.pick(['100m', '250m', '500m', '1', '1500m'])),
      memory: maybe(draw, 0.5, () => draw.pick(['64Mi', '512Mi', '1Gi', '3Gi'])),
      'ephemeral-storage': maybe(draw, 0.1, () => draw.pick(['1Gi', '5Gi'])),
      ...gpu,
    },
    limits: gpu,
  };
};

const hostPort = (draw: Draw): object => ({
  containerPort: 80,
  hostPort: draw.pick([8080, 8081]),
  hostIP: maybe(draw, 0.4, () => draw.pick(['127.0.0.1', '10.0.0.1', '0.0.0.0'])),
  protocol: maybe(draw, 0.2, () => 'UDP'),
});

const containers = (draw: Draw): object[] =>
  draw
    .some(2, () => draw.next())
    .map((_, index) => ({
      name: `c${index}`,
      image: 'i',
      resources: resources(draw),
      ports: index === 0 ? maybe(draw, 0.15, () => [hostPort(draw)]) : undefined,
    }));

/** `rules`: how often, as a share of what the pod that waits has, rules about nodes and other pods are drawn. */
const podSpec = (draw: Draw, names: readonly string[], rules: number): object => ({
  terminationGracePeriodSeconds: 0,
  priorityClassName: draw.pick(CLASSES).name,
  containers: containers(draw),
  initContainers: maybe(draw, 0.15, () => [
    {
      name: 'i0',
      image: 'i',
      resources: resources(draw),
      restartPolicy: maybe(draw, 0.4, () => 'Always'),
    },
  ]),
  affinity: {
    podAffinity: affinityBetweenPods(draw, 0.35 * rules),
    podAntiAffinity: affinityBetweenPods(draw, 0.35 * rules),
    nodeAffinity: nodeAffinity(draw, names, 0.35 * rules),
  },
  topologySpreadConstraints: maybe(draw, 0.4 * rules, () => spreads(draw)),
  nodeSelector: maybe(draw, 0.15 * rules, () => draw.pick<Labels>([{ disk: 'ssd' }, { rack: 'r1' }])),
  tolerations: maybe(draw, 0.5, () => draw.some(2, () => toleration(draw))),
});

const boundPod = (draw: Draw, name: string, names: readonly string[]): WorldPod => ({
  name,
  namespace: draw.pick([NAMESPACES[0], NAMESPACES[0], NAMESPACES[0], NAMESPACES[1]]),
  labels: labels(draw),
  spec: { ...podSpec(draw, names, 0.35), nodeName: draw.pick(names), schedulerName: 'none' },
  phase: draw.hit(0.08) ? draw.pick(['Succeeded', 'Failed']) : 'Running',
  startTime: `${new Date(FIRST_START + draw.int(10) * 60_000).toISOString().slice(0, 19)}Z`,
  isLeaving: draw.hit(0.08),
});

/** The cluster of this seed; all names in it begin with `prefix`. */
export const worldOf = (seed: number, prefix: string): World => {
  const draw = createDraw(seed);
  const names = draw.some(6, () => '').map((_, index) => `${prefix}n${index}`);
  return {
    nodes: names.map((name) => node(draw, name)),
    bound: Array.from({ length: draw.int(10) }, (_, index) => boundPod(draw, `${prefix}b${index}`, names)),
    ...(draw.hit(0.35) ? { serviceOf: draw.pick(APPS) } : {}),
    ...(draw.hit(0.25) ? { budgetOf: draw.pick(APPS) } : {}),
    pod: { name: `${prefix}w`, labels: labels(draw), spec: podSpec(draw, names, 1) },
  };
};
