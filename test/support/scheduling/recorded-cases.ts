/** Cases that were recorded on a real kube-scheduler 1.34.4, and their short forms as API objects. */
import { readFileSync } from 'node:fs';
import { defaultPod } from '../../../shared/kube/defaults/pod.ts';
import type { Node, Pod, Taint } from '../../../shared/kube/types/core.ts';
import type { ApiObject, Condition } from '../../../shared/kube/types/meta.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { addDefaultTolerations } from '../../../shared/rules/pod-admission/default-tolerations.ts';
import type { NodeScore } from '../../../shared/rules/scheduling/decide-placement.ts';
import type { SelectorOwner, SpreadOwners } from '../../../shared/rules/scheduling/pods/default-spread.ts';
import { byPath } from './scheduling-objects.ts';

type Fields = Readonly<Record<string, unknown>>;
type Quantities = Readonly<Record<string, string>>;

interface CaseNode {
  readonly name: string;
  readonly labels?: Quantities;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly alloc?: Readonly<Record<string, string | null>>;
  readonly capacity?: Quantities;
  readonly images?: readonly Fields[];
  readonly noHostname?: boolean;
}

export interface CasePod {
  readonly name: string;
  readonly on?: string;
  readonly ns?: string;
  readonly req?: Quantities;
  readonly ports?: readonly { readonly hostPort: number; readonly containerPort?: number }[];
  readonly prio?: string;
  readonly labels?: Quantities;
  readonly image?: string;
  readonly owner?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
  /** Seconds after 2026-01-01. */
  readonly start?: number;
}

/** What the real scheduler did with one pod. */
export interface Wanted {
  readonly name: string;
  readonly bound: boolean;
  readonly node?: string;
  readonly condition?: Condition;
  readonly nominated?: string;
  readonly victims?: readonly { readonly pod: string }[];
  readonly feasible?: readonly string[];
  readonly winner?: string;
  readonly scores?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly scoresVary?: boolean;
}

export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly about: string;
  readonly nodes?: readonly CaseNode[];
  readonly bound?: readonly CasePod[];
  readonly pods: readonly CasePod[];
  readonly objects?: readonly (ApiObject & { readonly body?: ApiObject })[];
  readonly want: { readonly pods: readonly Wanted[] };
}

const GOLDEN = new URL('../../conformance/scheduler/golden-1.34.json', import.meta.url);

/** All recorded cases. `{x}` stands for the name of x; here every object has just that name. */
export const recordedCases = (): readonly RecordedCase[] =>
  JSON.parse(readFileSync(GOLDEN, 'utf8').replace(/\{([a-z0-9-]+)\}/g, '$1'));

const ALLOCATABLE: Quantities = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' };

const withoutNulls = (amounts: Readonly<Record<string, string | null>>): Quantities =>
  Object.fromEntries(
    Object.entries(amounts).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
  );

export const nodeOf = ({
  name,
  labels,
  taints,
  unschedulable,
  alloc,
  capacity,
  images,
  noHostname,
}: CaseNode): Node => {
  const allocatable = withoutNulls({ ...ALLOCATABLE, ...alloc });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...(noHostname ? {} : { 'kubernetes.io/hostname': name }), ...labels } },
    spec: { ...(unschedulable ? { unschedulable } : {}), ...(taints ? { taints } : {}) },
    status: { allocatable, capacity: { ...allocatable, ...capacity }, ...(images ? { images } : {}) },
  };
};

/** The class `gold-m10` has the value -10; `gold-n100` has the value 100 and never preempts. */
const priorityOf = (className: string | undefined): Fields => {
  const [, letter = '', digits = '0'] = /^gold-([mn]?)(\d+)$/.exec(className ?? '') ?? [];
  return {
    priority: letter === 'm' ? -Number(digits) : Number(digits),
    preemptionPolicy: letter === 'n' ? 'Never' : 'PreemptLowerPriority',
  };
};

/** The overhead that admission adds for the RuntimeClass of the recording. */
const overheadOf = (spec: Fields = {}): Fields =>
  spec['runtimeClassName'] === 'gold-rc' ? { overhead: { cpu: '250m', memory: '64Mi' } } : {};

const limitsOf = (requests: Quantities): Fields => {
  const limited = Object.entries(requests).filter(
    ([name]) => name.includes('/') || name.startsWith('hugepages-'),
  );
  return limited.length > 0 ? { limits: Object.fromEntries(limited) } : {};
};

const containerOf = ({ image = 'img', req, ports }: CasePod): Fields => ({
  name: 'c',
  image,
  ...(req ? { resources: { requests: req, ...limitsOf(req) } } : {}),
  ...(ports ? { ports: ports.map((port) => ({ containerPort: port.hostPort, ...port })) } : {}),
});

const statusOf = ({ status, start }: CasePod): Pick<Pod, 'status'> => {
  if (!status && start === undefined) return {};
  const startTime = toTime(Date.UTC(2026) + (start ?? 0) * 1000);
  return { status: { ...(start === undefined ? {} : { phase: 'Running', startTime }), ...status } };
};

/** The pod as the API server would store it: with defaults, its priority and the default tolerations. */
export const podOf = (short: CasePod): Pod => {
  const { name, ns: namespace = 'default', on, prio, labels, owner, spec } = short;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels: { 'diff-suite': 'scheduler', ...labels },
      ...(owner ? { ownerReferences: [owner as never] } : {}),
    },
    spec: {
      containers: [containerOf(short)],
      ...priorityOf(prio),
      ...overheadOf(spec),
      ...(on ? { nodeName: on } : {}),
      ...spec,
    },
    ...statusOf(short),
  };
  return addDefaultTolerations(defaultPod(pod), { notReady: 300, unreachable: 300 });
};

const byName = <T extends ApiObject>(objects: readonly ApiObject[], kind: string): ReadonlyMap<string, T> =>
  new Map(objects.filter((one) => one.kind === kind).map((one) => [one.metadata.name, one as T]));

/** The objects of a case beside nodes and pods, as the scheduler sees them. */
export const storageOf = ({ objects = [] }: RecordedCase) => {
  const all = objects.map((one) => one.body ?? one);
  const claims = [...byName(all, 'PersistentVolumeClaim')];
  return {
    claims: new Map(claims.map(([name, one]) => [`default/${name}`, one])),
    volumes: byName(all, 'PersistentVolume'),
    classes: byName(all, 'StorageClass'),
    csiNodes: byName(all, 'CSINode'),
  };
};

/** Labels of the namespaces in the recorded cluster. */
export const NAMESPACES = new Map<string, Quantities>([
  ['default', { 'kubernetes.io/metadata.name': 'default' }],
  ['gold-a', { team: 'a', env: 'prod', 'kubernetes.io/metadata.name': 'gold-a' }],
  ['gold-b', { team: 'b', env: 'prod', 'kubernetes.io/metadata.name': 'gold-b' }],
]);

const namespaced = <T extends ApiObject>({ objects = [] }: RecordedCase, kind: string): readonly T[] =>
  objects
    .map((one) => (one.body ?? one) as T)
    .filter((one) => one.kind === kind)
    .map((one) => ({ ...one, metadata: { namespace: 'default', ...one.metadata } }));

export const budgetsOf = (recorded: RecordedCase): readonly PodDisruptionBudget[] =>
  namespaced(recorded, 'PodDisruptionBudget');

/** The objects of a case that say which pods belong together. */
export const ownersOf = (recorded: RecordedCase): SpreadOwners => ({
  services: byPath(namespaced(recorded, 'Service')),
  replicaSets: byPath(namespaced<SelectorOwner>(recorded, 'ReplicaSet')),
});

/** The recorded scores name only plugins that tell nodes apart; so do these. */
export const tellingScores = (scores: readonly NodeScore[]): Wanted['scores'] => {
  const names = Object.keys(scores[0]?.byPlugin ?? {});
  const telling = names.filter((name) => new Set(scores.map(({ byPlugin }) => byPlugin[name])).size > 1);
  return Object.fromEntries(
    scores.map(({ nodeName, byPlugin, total }) => [
      nodeName,
      { ...Object.fromEntries(telling.map((name) => [name, byPlugin[name] ?? 0])), total },
    ]),
  );
};
