/** The part of the agent that runs pods: workers, volumes, probes, eviction and shutdown over one container runtime. */
import { once } from 'node:events';
import { decidedEndsFile } from '../adapters/decided-ends-file.ts';
import { createHooks } from '../adapters/probes/hooks.ts';
import { createProber } from '../adapters/probes/prober.ts';
import { collectContainers } from '../images/container-collector.ts';
import { createEviction, type RunningEviction } from '../node/run-eviction.ts';
import type { AdmissionFacts } from '../pods/admit-pods.ts';
import { createPods, type Pods } from '../pods/create-pods.ts';
import type { ReclaimNode } from '../ports/machine/eviction.ts';
import type { ImageService } from '../ports/machine/image-service.ts';
import type { NodeFacts } from '../ports/machine/node-facts.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import type { StatsSource } from '../ports/machine/stats-source.ts';
import type { Trash } from '../ports/machine/trash.ts';
import type { AgentPods } from '../ports/pods/agent-pods.ts';
import type { PodResources } from '../ports/pods/pod-resources.ts';
import { sysctlAllowlist } from '../rules/admission/sysctls.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { NodeReclaim } from '../rules/eviction/disk-layout.ts';
import { evictionSettings } from '../rules/eviction/settings.ts';
import type { EvictionSettings } from '../rules/eviction/synchronize.ts';
import type { NodeWork } from '../rules/registration/node-work.ts';
import { createDecidedEnds, type DecidedEnds } from '../shutdown/decided-ends.ts';
import type { NodeShutdown } from '../shutdown/node-shutdown.ts';
import { createPodVolumes, withoutVolumes } from '../volumes/create-pod-volumes.ts';
import { createMounter } from '../volumes/mounts.ts';
import type { PodParts } from './agent-program.ts';
import { createMachineImages, type MachineImages } from './machine/machine-images.ts';
import { createMachineReads } from './machine/machine-reads.ts';
import { createMachineShutdown } from './machine/machine-shutdown.ts';
import { createMachineStats } from './machine/machine-stats.ts';
import { nodeOfPods } from './node-of-pods.ts';
import { createRuntimeHealth, type RuntimeHealth } from './runtime-health.ts';
import { type ServedRuntime, servedPods } from './served-pods.ts';
import { createStaticPods } from './static-pods.ts';
import { createWorkObjects } from './work-objects.ts';

export interface RunPodsOptions extends PodParts {
  readonly runtime: Runtime & ServedRuntime;
  /** Absent: the runtime has no images of its own. */
  readonly images?: ImageService;
  /** Where the images and the writable layers stand, if it is another file system than that of the root directory. */
  readonly imageFolder?: string;
  readonly resources: PodResources;
  readonly trash: Trash;
  /** Control group of all pods. */
  readonly podsCgroup: string;
  /** As Go calls it: `linux`. */
  readonly os: string;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** Major and minor version of Kubernetes that probes name. */
const PROBE_VERSION = '1.34';
const END_POLL_MS = 500;

interface Guards {
  readonly eviction: RunningEviction;
  readonly shutdown: NodeShutdown;
  readonly health: RuntimeHealth;
}

const admissionFacts = (options: RunPodsOptions, guards: () => Guards): AdmissionFacts => {
  const { settings, node, os } = options;
  const sysctls = sysctlAllowlist(settings.config.allowedUnsafeSysctls ?? []);
  if ('error' in sysctls) throw new Error(`allowedUnsafeSysctls: ${sysctls.error}`);
  return () => ({
    node: node.latest(),
    os,
    sysctls,
    pressure: guards().eviction.conditions(),
    // Processes of the machine are not confined.
    hasAppArmor: false,
    shutdown: guards().shutdown.admit(),
  });
};

const nodeFacts = (
  { runtime, images }: RunPodsOptions,
  pods: Pods,
  { eviction, shutdown, health }: Guards,
): NodeFacts => {
  const has = (condition: ReturnType<RunningEviction['conditions']>[number]): boolean =>
    eviction.conditions().includes(condition);
  return {
    health: () => {
      const error = shutdown.readyError();
      const missing = runtime.missing().join('; ');
      return {
        pressures: {
          MemoryPressure: has('MemoryPressure'),
          DiskPressure: has('DiskPressure'),
          PIDPressure: has('PIDPressure'),
        },
        ...health.errors(),
        storageErrors: [],
        shutdownErrors: error === undefined ? [] : [error],
        ...(missing === '' ? {} : { softRequirements: missing }),
      };
    },
    devices: () => ({ capacity: {}, allocatable: {}, removed: [] }),
    volumes: () => ({ inUse: [], isSynced: pods.isSynced() }),
    runtime: runtime.facts,
    images: async () => (await images?.list()) ?? [],
  };
};

/** The thresholds are read before anybody knows where the images stand. */
const evictionOf = ({ settings, os, imageFolder }: RunPodsOptions): EvictionSettings => {
  if (imageFolder === undefined) return settings.eviction;
  const read = evictionSettings(settings.config, os, { hasImageFs: true, hasContainerFs: false });
  return 'error' in read ? settings.eviction : read.settings;
};

interface Guarded {
  readonly pods: Pods;
  readonly stats: StatsSource;
  readonly reclaim: ReclaimNode;
  readonly ends: DecidedEnds;
}

const guardsOf = (options: RunPodsOptions, { pods, stats, reclaim, ends }: Guarded): Guards => {
  const { settings, rootDirectory, counter, events, clock, log } = options;
  const shared = { events, clock, log, pods: pods.onNode };
  return {
    eviction: createEviction({
      ...shared,
      settings: evictionOf(options),
      stats,
      reclaim,
      onEviction: counter.evicted,
    }),
    shutdown: createMachineShutdown({
      ...shared,
      rootDirectory,
      nodeName: settings.nodeName,
      config: settings.config,
      shutdowns: options.shutdowns,
      sync: options.reportNode,
      decide: ends.decide,
      gauges: counter.shutdowns,
    }),
    health: createRuntimeHealth(options.runtime, clock),
  };
};

const imagesOf = (options: RunPodsOptions): MachineImages | undefined => {
  const { images, events } = options;
  return images && createMachineImages({ ...options, images, tell: events.ofNode });
};

/** What is removed while the agent runs, and what eviction has removed. */
const garbageOf = (options: RunPodsOptions, pods: Pods, images: MachineImages | undefined) => {
  const { settings, events } = options;
  const containers = { ...options, policy: settings.containers, tell: events.ofNode };
  return {
    reclaim: async (what: NodeReclaim): Promise<void> =>
      what === 'imageGC' ? await images?.removeUnused() : await pods.reclaim(what),
    run: async (signal: AbortSignal): Promise<void> => {
      await Promise.all([collectContainers(containers, signal), images?.run(signal)]);
    },
  };
};

/** Resolves when no container runs any more. */
const allEnded = async ({ runtime, clock }: RunPodsOptions): Promise<void> => {
  const isBusy = async (): Promise<boolean> => {
    const pods = await runtime.pods();
    return pods.some(({ containers }) => containers.some(({ state }) => state === 'running'));
  };
  while (await isBusy()) await clock.sleep(END_POLL_MS);
};

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

const startShutdown = ({ log }: RunPodsOptions, shutdown: NodeShutdown): Promise<void> =>
  shutdown.start().catch((error: unknown) => log('there is no graceful shutdown on this machine', error));

/** What pods mount, made below the agent's own folder. */
const volumesOf = (
  { clock, tokens, trash, rootDirectory, node, runtime }: RunPodsOptions,
  objects: ReturnType<typeof createWorkObjects>,
  { hostIPs, allocatable }: ReturnType<typeof nodeOfPods>,
) => {
  const volumes = createPodVolumes({
    root: rootDirectory,
    clock,
    objects,
    tokens,
    allocatable,
    hostIPs,
    mounter: createMounter(),
    trash,
    node: node.latest,
    hasOneOwner: runtime.isolation === 'oci-rootless',
  });
  return runtime.plain ? withoutVolumes(volumes) : volumes;
};

export const createRunningPods = (options: RunPodsOptions): AgentPods => {
  const { api, runtime, events, clock, log, random } = options;
  const objects = createWorkObjects();
  const ends = createDecidedEnds({ store: decidedEndsFile(options.rootDirectory), clock, log });
  const node = nodeOfPods({ ...options, latest: options.node.latest });
  const { hostIPs } = node;
  const podIp = ({ metadata: { namespace = '', name } }: AgentPod): string | undefined =>
    pods.find(namespace, name)?.status?.podIP ?? hostIPs()[0];
  const asking = { runtime, podIp, version: PROBE_VERSION };
  const images = imagesOf(options);
  const pods: Pods = createPods({
    ...(images && { images: images.manager }),
    api,
    runtime,
    objects,
    events,
    clock,
    log,
    random,
    node,
    resources: options.resources,
    volumes: volumesOf(options, objects, node),
    prober: createProber(asking),
    hooks: createHooks({ ...asking, clock }),
    admission: admissionFacts(options, () => guards),
    mirrorOf: (pod) => statics.mirrorOf(pod),
    endingOf: ends.endingOf,
  });
  const statics = createStaticPods({
    ...options,
    isHere: (namespace, name) => pods.find(namespace, name) !== undefined,
    onPods: (found) => pods.setWanted('static', found),
  });
  const stats = createMachineStats(options);
  const garbage = garbageOf(options, pods, images);
  const guards = guardsOf(options, { pods, stats, reclaim: garbage.reclaim, ends });
  const { nodeName } = options.settings;
  const want = (wanted: readonly AgentPod[]): void => pods.setWanted('api', wanted);
  return {
    facts: nodeFacts(options, pods, guards),
    reads: createMachineReads({ ...options, nodeName, stats, pods: pods.onNode }),
    probe: guards.health.probe,
    ...servedPods(options.runtime, pods, api),
    run: async (signal) => {
      const { eviction, health, shutdown } = guards;
      await startShutdown(options, shutdown);
      await Promise.all([
        ...[pods, eviction, health, garbage].map((part) => part.run(signal)),
        options.node.learn(signal).then(() => statics.run(signal)),
        // At once: without logind, or without an answer, it would try again without a pause while the others end.
        aborted(signal).then(shutdown.stop),
      ]);
    },
    apply: async (work: NodeWork) => {
      // Pods are admitted by what the Node says.
      await options.knownNode();
      objects.replace(work);
      await ends.settle(work.pods as readonly AgentPod[]);
      want(work.pods as readonly AgentPod[]);
    },
    followsObjects: () => objects.areFollowed() || images?.manager.isFailing() === true,
    abandon: async () => {
      want([]);
      pods.setWanted('static', []);
      await allEnded(options);
    },
  };
};
