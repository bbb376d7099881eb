/** What a scenario may do to the host, and ask of it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from './api.ts';
import type { Seen } from './history.ts';
import type { WatchedKind } from './watched.ts';

const AMOUNTS = { cpu: '8', memory: '16Gi', pods: '110' };
const POLL_MS = 15;

/** To the second, as in Kubernetes. */
const instant = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  /** Statuses of conditions; default: it is ready. */
  readonly conditions?: Readonly<Record<string, 'True' | 'Unknown'>>;
  readonly spec?: object;
  /** Leaves the taint of admission to whoever takes it off; otherwise it is replaced by `taints`. */
  readonly keepsTaint?: boolean;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly ready?: 'True' | 'False';
  /** Names of containers that run; default: the status tells of none. */
  readonly running?: readonly string[];
}

export interface PodOptions extends PodStatus {
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: object;
  readonly finalizers?: readonly string[];
  readonly spec?: object;
  /** The pod stays as it was created. */
  readonly isPending?: boolean;
}

export interface Cluster {
  readonly api: Api;
  /** From now on time is counted. */
  begin(): void;
  /** Seconds after the beginning. */
  until(seconds: number): Promise<void>;
  pause(seconds: number): Promise<void>;
  /** Waits until something is seen, `seconds` at most. */
  seen(seconds: number, look: () => boolean): Promise<void>;
  find(kind: WatchedKind, name: string): Seen | undefined;
  all(kind: WatchedKind): readonly Seen[];
  /** Keeps an answer that is compared by its name. */
  fact(name: string, value: unknown): void;
  /** What was planned was done so much later, s. */
  wasLate(seconds: number): void;
  /** Nodes whose kubelets live. */
  readonly live: Set<string>;
  addNode(name: string, options?: NodeOptions): Promise<void>;
  taint(name: string, taints: readonly object[] | null): Promise<void>;
  addPod(name: string, node: string | undefined, options?: PodOptions): Promise<void>;
  setPodStatus(name: string, status?: PodStatus): Promise<void>;
}

const nodeOf = (
  name: string,
  { labels, annotations, taints, conditions = { Ready: 'True' }, spec = {} }: NodeOptions,
): object => {
  const now = instant();
  const instants = { lastHeartbeatTime: now, lastTransitionTime: now };
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, ...labels },
      ...(annotations ? { annotations } : {}),
    },
    spec: { ...spec, ...(taints ? { taints } : {}) },
    status: {
      capacity: AMOUNTS,
      allocatable: AMOUNTS,
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        reason: 'Test',
        message: 'test',
        ...instants,
      })),
    },
  };
};

const podOf = (
  name: string,
  node: string | undefined,
  { labels, owner, finalizers, spec }: PodOptions,
): object => ({
  metadata: {
    name,
    ...(labels ? { labels } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(owner ? { ownerReferences: [owner] } : {}),
  },
  spec: {
    ...(node === undefined ? {} : { nodeName: node }),
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'c', image: 'img' }],
    ...spec,
  },
});

const runningOf = (names: readonly string[], startedAt: string): object[] =>
  names.map((name) => ({
    name,
    image: 'img:1',
    imageID: 'x',
    ready: true,
    restartCount: 0,
    started: true,
    state: { running: { startedAt } },
  }));

const podStatusOf = ({ phase = 'Running', reason, ready = 'True', running }: PodStatus): object => {
  const now = instant();
  const statuses = { Initialized: 'True', Ready: ready, ContainersReady: ready, PodScheduled: 'True' };
  const conditions = Object.entries(statuses).map(([type, status]) => ({
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: now,
  }));
  const containerStatuses = running && { containerStatuses: runningOf(running, now) };
  return {
    status: { phase, ...(reason ? { reason } : {}), startTime: now, conditions, ...containerStatuses },
  };
};

export const PODS = '/api/v1/namespaces/default/pods';
export const NODES = '/api/v1/nodes';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const APPS = '/apis/apps/v1/namespaces/default';

/** What the player of a scenario keeps. */
export interface Play {
  readonly api: Api;
  readonly all: (kind: WatchedKind) => readonly Seen[];
  readonly facts: Record<string, unknown>;
  /** When time began, ms. */
  zero: number;
  /** The longest that the scenario or a kubelet was behind, s. On the machine of the recording that was a tenth of a second at most. */
  late: number;
}

export const createCluster = (play: Play): Cluster => {
  const { api, all } = play;
  const live = new Set<string>();
  let busySince = play.zero;

  const wasLate: Cluster['wasLate'] = (seconds) => {
    play.late = Math.max(play.late, seconds);
  };
  const until: Cluster['until'] = async (seconds) => {
    wasLate((Date.now() - busySince) / 1_000);
    await wait(Math.max(0, play.zero + seconds * 1_000 - Date.now()));
    busySince = Date.now();
  };

  const taint: Cluster['taint'] = async (name, taints) => {
    await api.patch(`${NODES}/${name}`, { spec: { taints } });
  };
  const setPodStatus: Cluster['setPodStatus'] = async (name, status = {}) => {
    await api.patch(`${PODS}/${name}/status`, podStatusOf(status), 'strategic');
  };

  return {
    api,
    live,
    all,
    taint,
    setPodStatus,
    begin: () => {
      play.zero = Date.now();
      busySince = play.zero;
    },
    until,
    wasLate,
    pause: (seconds) => wait(seconds * 1_000),
    seen: async (seconds, look) => {
      const end = Date.now() + seconds * 1_000;
      while (!look() && Date.now() < end) await wait(POLL_MS);
    },
    find: (kind, name) => all(kind).find(({ metadata }) => metadata.name === name),
    fact: (name, value) => {
      play.facts[name] = value;
    },
    addNode: async (name, options = {}) => {
      await api.post(NODES, nodeOf(name, options));
      if (options.keepsTaint !== true) await taint(name, options.taints ?? null);
      live.add(name);
    },
    addPod: async (name, node, options = {}) => {
      await api.post(PODS, podOf(name, node, options));
      if (options.isPending !== true) await setPodStatus(name, options);
    },
  };
};
