/** The cases in `test/conformance/scheduler`, as plain API objects. They were recorded on a kube-scheduler 1.34.4. */
import { readFileSync } from 'node:fs';
import type { Node, Pod, Taint } from '../../shared/api/core.ts';
import type { ApiObject } from '../../shared/api/meta.ts';
import { toTime } from '../../shared/api/time.ts';

type Labels = Readonly<Record<string, string>>;

interface RecordedNode {
  readonly name: string;
  readonly labels?: Labels;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly noHostname?: boolean;
  readonly alloc?: Readonly<Record<string, string | null>>;
}

interface RecordedPod {
  readonly name: string;
  readonly on?: string;
  readonly ns?: string;
  readonly labels?: Labels;
  readonly req?: Labels;
  readonly ports?: readonly object[];
  readonly prio?: string;
  /** Seconds after 2026-01-01. */
  readonly start?: number;
  readonly spec?: object;
  readonly status?: object;
  readonly owner?: {
    readonly kind: string;
    readonly name: string;
    readonly apiVersion: string;
    readonly uid: string;
  };
}

/** What was seen of a pod. */
export interface RecordedAnswer {
  readonly name: string;
  readonly bound: boolean;
  readonly node?: string;
  readonly condition?: { readonly message?: string };
  readonly nominated?: string;
  readonly victims?: readonly { readonly pod: string }[];
  readonly feasible?: readonly string[];
  readonly scores?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly about: string;
  readonly nodes?: readonly RecordedNode[];
  readonly bound?: readonly RecordedPod[];
  readonly pods: readonly RecordedPod[];
  readonly objects?: readonly object[];
  readonly want: { readonly pods: readonly RecordedAnswer[] };
}

/** Values of the priority classes `gold-…` in the recorded cluster. */
const PRIORITIES: Readonly<Record<string, number>> = {
  'gold-m10': -10,
  'gold-10': 10,
  'gold-50': 50,
  'gold-100': 100,
  'gold-200': 200,
  'gold-1000': 1000,
  'gold-n100': 100,
  'gold-n1000': 1000,
};

/** Labels of the namespaces in the recorded cluster. */
export const RECORDED_NAMESPACES: ReadonlyMap<string, Labels> = new Map<string, Labels>([
  ['default', { 'kubernetes.io/metadata.name': 'default' }],
  ['gold-a', { team: 'a', env: 'prod', 'kubernetes.io/metadata.name': 'gold-a' }],
  ['gold-b', { team: 'b', env: 'prod', 'kubernetes.io/metadata.name': 'gold-b' }],
]);

const ALLOCATABLE = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/** All recorded cases of these groups. */
export const recordedCases = (...groups: readonly string[]): readonly RecordedCase[] => {
  // `{x}` stands for the name of an object of the case, which was unique in the recorded cluster.
  const text = readFileSync('test/conformance/scheduler/golden-1.34.json', 'utf8');
  const cases = JSON.parse(text.replace(/\{([a-z0-9-]+)\}/g, '$1')) as readonly RecordedCase[];
  return cases.filter(({ group }) => groups.includes(group));
};

/** The node of a case. */
export const recordedNode = (node: RecordedNode): Node => {
  const amounts = Object.entries({ ...ALLOCATABLE, ...node.alloc }).filter(
    (one): one is [string, string] => one[1] !== null,
  );
  const hostname = node.noHostname ? {} : { 'kubernetes.io/hostname': node.name };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name, uid: node.name, labels: { ...hostname, ...node.labels } },
    spec: {
      ...(node.unschedulable ? { unschedulable: true } : {}),
      ...(node.taints ? { taints: node.taints } : {}),
    },
    status: { allocatable: Object.fromEntries(amounts), conditions: [{ type: 'Ready', status: 'True' }] },
  };
};

const priorityFields = ({ prio }: RecordedPod) => ({
  priority: prio ? (PRIORITIES[prio] ?? 0) : 0,
  preemptionPolicy: prio?.startsWith('gold-n') ? 'Never' : 'PreemptLowerPriority',
});

const container = ({ req, ports }: RecordedPod) => ({
  name: 'c',
  image: 'img',
  ...(req ? { resources: { requests: req } } : {}),
  ...(ports ? { ports } : {}),
});

/** The pod of a case, bound if the case says so. */
export const recordedPod = (pod: RecordedPod): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: pod.name,
    namespace: pod.ns ?? 'default',
    uid: pod.name,
    labels: { 'diff-suite': 'scheduler', ...pod.labels },
    ...(pod.owner ? { ownerReferences: [pod.owner] } : {}),
  },
  spec: {
    containers: [container(pod)],
    ...priorityFields(pod),
    ...(pod.on ? { nodeName: pod.on } : {}),
    ...pod.spec,
  },
  status: {
    ...(pod.start === undefined
      ? {}
      : { phase: 'Running', startTime: toTime(Date.parse('2026-01-01T00:00:00Z') + pod.start * 1000) }),
    ...pod.status,
  },
});

/** The other objects of a case of this kind. */
export const recordedObjects = <T extends ApiObject>(
  { objects = [] }: RecordedCase,
  kind: string,
): readonly T[] =>
  objects
    .map((object) => ('body' in object ? object.body : object) as T)
    .filter((object) => object.kind === kind)
    .map((object) => ({ ...object, metadata: { namespace: 'default', ...object.metadata } }));
