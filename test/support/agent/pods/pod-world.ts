/** A node whose agent can be killed at any of its steps, in virtual time. The runtime and the API stay. */
import { getEventListeners } from 'node:events';
import { createImageManager } from '../../../../agent/images/image-manager.ts';
import type { AdmissionFacts } from '../../../../agent/pods/admit-pods.ts';
import { createPods, type Pods } from '../../../../agent/pods/create-pods.ts';
import type { WorkerEnding } from '../../../../agent/pods/pod-worker.ts';
import type { Hooks } from '../../../../agent/pods/worker/worker-deps.ts';
import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type { ProbeAnswer } from '../../../../agent/ports/machine/prober.ts';
import type { PodVolumes, VolumeFault } from '../../../../agent/ports/pods/pod-volumes.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import type { DataObject } from '../../../../agent/rules/volumes/payload.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { QUIET_NODE } from './admission-facts.ts';
import { createFakeImages } from './fake-images.ts';
import { createFakePodApi } from './fake-pod-api.ts';
import { createFakeRuntime } from './fake-runtime.ts';

const START = Date.UTC(2026, 0, 1);

/** When the agent dies: at this call of a port, before or after its effect. */
export interface Death {
  readonly atCall: number;
  readonly isAfter: boolean;
}

export interface WorldOptions {
  readonly hooks?: Partial<Hooks>;
  readonly probe?: (kind: string, container: string) => ProbeAnswer | Promise<ProbeAnswer>;
  readonly admission?: Partial<ReturnType<AdmissionFacts>>;
  /** Whether the runtime has images. */
  readonly hasImages?: boolean;
}

const never = async (): Promise<never> => await new Promise<never>(() => undefined);

interface Life {
  calls: number;
  isDead: boolean;
  readonly death: Death | undefined;
}

/** Calls of these make no step: they only read what is known. */
const STEPLESS: ReadonlySet<string | symbol> = new Set(['onChange', 'missing', 'measured']);

type Call = (...given: readonly unknown[]) => unknown;

/** A call that has no answer any more once the agent is dead. */
const mortalCall = async (life: Life, call: () => unknown): Promise<unknown> => {
  if (life.isDead) return await never();
  life.calls += 1;
  const dies = life.calls === life.death?.atCall;
  if (dies) life.isDead = true;
  if (dies && life.death?.isAfter !== true) return await never();
  const answer = await call();
  return life.isDead ? await never() : answer;
};

/** The port as an agent sees it that dies at some call. */
const mortal = <T extends object>(port: T, life: Life): T =>
  new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function' || STEPLESS.has(key)) return member;
      return async (...given: readonly unknown[]) =>
        await mortalCall(life, () => Reflect.apply(member as Call, target, given));
    },
  });

export const createPodWorld = ({ hooks = {}, probe, admission = {}, hasImages }: WorldOptions = {}) => {
  const virtual = createVirtualClock(START);
  const clock: Clock = { now: virtual.now, uptime: virtual.now, sleep: virtual.sleep };
  const runtime = createFakeRuntime(clock);
  const images = createFakeImages(clock);
  /** Handlers by name. */
  const classes = new Map<string, string>();
  const api = createFakePodApi(clock);
  const events: string[] = [];
  const logs: string[] = [];
  const volumeFaults = new Map<string, VolumeFault>();
  const volumesOf = new Set<string>();
  const configMaps = new Map<string, DataObject>();
  /** How pods end that an agent before has ended, by name. */
  const endings = new Map<string, WorkerEnding>();
  let statics: readonly AgentPod[] = [];
  let agent: { readonly pods: Pods; readonly stop: AbortController; kill(): void } | undefined;

  const volumes: PodVolumes = {
    setUp: async ({ metadata }) => {
      volumesOf.add(metadata.uid ?? '');
      const fault = volumeFaults.get(metadata.name);
      return fault ? [fault] : [];
    },
    mounts: async () => ({ mounts: [] }),
    tearDown: async (uid) => void volumesOf.delete(uid),
    isBeingDeleted: () => false,
    uids: async () => [...volumesOf],
    measured: () => [],
  };

  const tell = (): void => agent?.pods.setWanted('api', api.all());
  api.onChange = () => void virtual.sleep(100).then(tell);

  const startAgent = (death?: Death): void => {
    const stop = new AbortController();
    const life: Life = { calls: 0, isDead: false, death };
    const pods = createPods({
      clock,
      random: () => 0,
      log: (text) => void logs.push(text),
      runtime: mortal(runtime, life),
      ...(hasImages && { images: createImageManager({ images, clock, rate: { perSecond: 0, burst: 0 } }) }),
      volumes: mortal(volumes, life),
      api: mortal(api, life),
      objects: {
        configMap: (_namespace, name) => configMaps.get(name),
        secret: () => undefined,
        claim: () => undefined,
        volume: () => undefined,
        runtimeClass: (name) => {
          const handler = classes.get(name);
          return handler === undefined
            ? undefined
            : { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, handler };
        },
      },
      events: {
        record: ({ metadata }, { reason, message, container }) =>
          void events.push(
            `${(clock.now() - START) / 1000} ${metadata.name}${container ? `/${container}` : ''} ${reason}: ${message}`,
          ),
      },
      hooks: { postStart: async () => undefined, preStop: async () => undefined, ...hooks },
      prober: {
        probe: async (kind, _pod, { name }) => (await probe?.(kind, name)) ?? { kind: 'success', output: '' },
      },
      admission: () => ({ ...QUIET_NODE, ...admission }),
      mirrorOf: () => undefined,
      endingOf: ({ metadata }) => endings.get(metadata.name),
      node: {
        hostIPs: () => ['10.0.0.7'],
        allocatable: () => ({ cpu: '4', memory: '8Gi' }),
        memoryCapacity: () => 8 * 2 ** 30,
        services: {},
        logFolder: '/var/log/pods',
      },
    });
    const kill = (): void => {
      life.isDead = true;
    };
    agent = { pods, stop, kill };
    pods.setWanted('static', statics);
    pods.setWanted('api', api.all());
    void pods.run(stop.signal);
  };

  return {
    clock,
    runtime,
    images,
    classes,
    api,
    events,
    logs,
    volumeFaults,
    volumesOf,
    configMaps,
    endings,
    startAgent,
    pods: (): Pods => {
      if (!agent) throw new Error('no agent');
      return agent.pods;
    },
    setStatics: (next: readonly AgentPod[]): void => {
      statics = next;
      agent?.pods.setWanted('static', next);
    },
    /** Kills the agent: it does nothing any more, and nothing is told to it. */
    kill: (): void => {
      agent?.kill();
      agent?.stop.abort();
      agent = undefined;
    },
    seconds: async (count: number): Promise<void> => await virtual.run(virtual.sleep(count * 1000)),
    status: (name: string) => api.pod(name)?.status,
    /** What the agent waits for: timers, and who is to hear that it stops. */
    waits: () => ({
      timers: virtual.sleepers(),
      listeners: agent ? getEventListeners(agent.stop.signal, 'abort').length : 0,
    }),
  };
};

export const podOf = (name: string, spec: Partial<AgentPod['spec']> = {}): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {
    nodeName: 'n1',
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'c', image: 'host', command: ['run'] }],
    ...spec,
  },
  status: { phase: 'Pending' },
});
