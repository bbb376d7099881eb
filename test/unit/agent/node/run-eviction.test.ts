import { describe, expect, it } from 'vitest';
import { createEviction } from '../../../../agent/node/run-eviction.ts';
import type { Depth } from '../../../../agent/ports/machine/stats-source.ts';
import type { NodeReclaim } from '../../../../agent/rules/eviction/disk-layout.ts';
import type { EvictionSettings } from '../../../../agent/rules/eviction/synchronize.ts';
import { thresholdsOf } from '../../../../agent/rules/eviction/thresholds/threshold-config.ts';
import type { NodeStats, PodStats } from '../../../../agent/rules/stats/summary.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Pod, PodStatus } from '../../../../shared/kube/types/core.ts';

const MI = 2 ** 20;

const aPod = (name: string, priority: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: {
    priority,
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'c', resources: { requests: { memory: '100Mi' } } }],
  },
});

const uses = (name: string, mebibytes: number): PodStats => ({
  podRef: { name, namespace: 'default', uid: name },
  memory: { workingSetBytes: mebibytes * MI },
  containers: [{ name: 'c', memory: { workingSetBytes: mebibytes * MI } }],
});

const SETTINGS: EvictionSettings = {
  thresholds: [],
  layout: { hasImageFs: false, hasContainerFs: false },
  limitsLocalStorage: true,
  maxPodGracePeriodSeconds: 5,
  pressureTransitionMs: 300_000,
};

const thresholds = (config: Parameters<typeof thresholdsOf>[0]): EvictionSettings => {
  const parsed = thresholdsOf(config);
  if ('error' in parsed) throw new Error(parsed.error);
  return { ...SETTINGS, thresholds: parsed.thresholds };
};

const MEMORY = thresholds({
  evictionHard: { 'memory.available': '1Gi' },
  evictionSoft: { 'memory.available': '2Gi' },
  evictionSoftGracePeriod: { 'memory.available': '2m' },
});

const DISK = thresholds({ evictionHard: { 'nodefs.available': '10%' } });

interface Situation {
  readonly settings: EvictionSettings;
  /** What is left, in the order of the measurements; the last one stays. */
  readonly left: readonly Pick<NodeStats, 'memory' | 'fs'>[];
  readonly podStats?: readonly PodStats[];
  readonly cleanUpMs?: number;
  readonly failing?: readonly ('end' | 'reclaim' | 'stats')[];
  /** The stop signal of the agent: nobody sleeps when it has aborted, and time does not pass. */
  readonly stop?: AbortSignal;
}

/** Pauses of an agent that stops; more of them are a loop that keeps the process busy. */
const MOST_PAUSES = 10;

const memory = (mebibytes: number) => ({
  memory: { availableBytes: mebibytes * MI, workingSetBytes: (8192 - mebibytes) * MI },
});

const disk = (availableBytes: number) => ({ fs: { availableBytes, capacityBytes: 1000 } });

const setUp = ({ settings, left, podStats = [], cleanUpMs = 0, failing = [], stop }: Situation) => {
  const virtual = createVirtualClock(0);
  let pauses = 0;
  const sleep = async (ms: number): Promise<void> => {
    if (!stop?.aborted) return virtual.sleep(ms);
    pauses += 1;
    if (pauses > MOST_PAUSES) throw new Error('goes on without a pause after the stop signal');
  };
  const clock = { now: virtual.now, uptime: virtual.now, sleep };
  const told: string[] = [];
  const depths: Depth[] = [];
  const signals: string[] = [];
  const statuses: PodStatus[] = [];
  const ended = new Map<string, number>();
  const remaining = [...left];
  const refuse = async (what: 'end' | 'reclaim' | 'stats'): Promise<void> => {
    if (failing.includes(what)) throw new Error(`${what} failed`);
  };
  const eviction = createEviction({
    settings,
    clock,
    stats: {
      node: async () => {
        await refuse('stats');
        return { ...((remaining.length > 1 ? remaining.shift() : remaining[0]) ?? {}) };
      },
      pods: async (_, depth) => {
        depths.push(depth);
        return podStats;
      },
    },
    pods: {
      active: () =>
        ['low', 'high'].filter((name) => !ended.has(name)).map((name) => aPod(name, name === 'low' ? 0 : 10)),
      measurable: () => [],
      isCleanedUp: ({ metadata }) => clock.now() - (ended.get(metadata.name) ?? 0) >= cleanUpMs,
      end: async (pod, { isEvicted, graceSeconds, status }) => {
        told.push(`${clock.now() / 1000} end ${pod.metadata.name} ${graceSeconds} ${isEvicted}`);
        await refuse('end');
        ended.set(pod.metadata.name, clock.now());
        statuses.push(status({ phase: 'Running' }));
      },
    },
    events: {
      ofPod: (pod, { reason }) => told.push(`${clock.now() / 1000} ${reason} ${pod.metadata.name}`),
      ofNode: ({ reason, message }) => told.push(`${clock.now() / 1000} ${reason}: ${message}`),
    },
    reclaim: async (what: NodeReclaim) => {
      told.push(`${clock.now() / 1000} ${what}`);
      await refuse('reclaim');
    },
    onEviction: (signal) => signals.push(signal),
    log: () => undefined,
  });
  const runFor = async (ms: number): Promise<void> => {
    const stop = new AbortController();
    void virtual.sleep(ms - 1).then(() => stop.abort());
    await virtual.run(eviction.run(stop.signal));
  };
  return { eviction, virtual, told, depths, signals, statuses, runFor };
};

describe('rounds of eviction', () => {
  it('end the pod that takes most above its request, and wait until it is cleaned up', async () => {
    const { told, depths, signals, runFor, statuses, eviction } = setUp({
      settings: MEMORY,
      left: [memory(3000), memory(500), memory(3000)],
      podStats: [uses('low', 50), uses('high', 400)],
      cleanUpMs: 4000,
    });
    await runFor(30_000);
    expect(told).toEqual([
      '10 EvictionThresholdMet: Attempting to reclaim memory',
      '10 Evicted high',
      '10 end high 1 true',
    ]);
    expect(statuses).toMatchObject([
      {
        phase: 'Failed',
        reason: 'Evicted',
        message:
          'The node was low on resource: memory. Threshold quantity: 1Gi, available: 500Mi. Container c was using 400Mi, request is 100Mi, has larger consumption of memory. ',
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
      },
    ]);
    expect(eviction.conditions()).toEqual(['MemoryPressure']);
    expect(signals).toEqual(['memory.available']);
    // Control groups of pods are read only when one has to end.
    expect(depths).toEqual(['storage', 'all', 'storage', 'storage']);
  });

  it('tell once of a pod whose storage is unknown, and of no other', async () => {
    const unknown = { ...uses('low', 50), unmeasured: 1 };
    const { told, signals, runFor } = setUp({
      settings: SETTINGS,
      left: [memory(3000)],
      podStats: [unknown, uses('high', 400)],
    });
    await runFor(30_000);
    expect([told, signals]).toEqual([['0 StorageNotMeasured low'], []]);
  });

  it('wait for the grace period of a soft threshold, while the node says so at once', async () => {
    const { told, runFor, eviction } = setUp({
      settings: MEMORY,
      left: [memory(1500)],
      podStats: [uses('low', 200), uses('high', 50)],
    });
    await runFor(10_000);
    expect(eviction.conditions()).toEqual(['MemoryPressure']);
    expect(told).toEqual([]);
    await runFor(120_000);
    expect(told.slice(0, 3)).toEqual([
      '120 EvictionThresholdMet: Attempting to reclaim memory',
      '120 Evicted low',
      '120 end low 5 true',
    ]);
  });

  it('go on after 30 s when a pod is not cleaned up, and after a pod that does not end', async () => {
    const situation = {
      settings: MEMORY,
      left: [memory(500)],
      podStats: [uses('low', 200), uses('high', 300)],
    };
    const slow = setUp({ ...situation, cleanUpMs: 1e9 });
    await slow.runFor(35_000);
    expect(slow.told.filter((line) => line.includes(' end '))).toEqual([
      '0 end low 1 true',
      '30 end high 1 true',
    ]);
    const stuck = setUp({ ...situation, failing: ['end'] });
    await stuck.runFor(2000);
    expect(stuck.told).toContain('0 end low 1 true');
  });

  it('end no pod where deletions are enough', async () => {
    const { told, runFor } = setUp({
      settings: DISK,
      left: [disk(50), disk(500)],
      podStats: [uses('low', 50)],
    });
    await runFor(15_000);
    expect(told).toEqual([
      '0 EvictionThresholdMet: Attempting to reclaim ephemeral-storage',
      '0 containerGC',
      '0 imageGC',
    ]);
  });

  it('end a pod where deletions fail or free too little', async () => {
    const { told, runFor } = setUp({
      settings: DISK,
      left: [disk(50), disk(60), disk(500)],
      failing: ['reclaim'],
    });
    await runFor(5000);
    expect(told).toEqual([
      '0 EvictionThresholdMet: Attempting to reclaim ephemeral-storage',
      '0 containerGC',
      '0 imageGC',
      '0 Evicted low',
      '0 end low 1 true',
    ]);
  });

  it('go on where the machine cannot be measured', async () => {
    const { told, runFor, eviction } = setUp({ settings: MEMORY, left: [], failing: ['stats'] });
    await runFor(25_000);
    expect(told).toEqual([]);
    expect(eviction.conditions()).toEqual([]);
  });

  it('end with the agent, also while a pod that was evicted is not cleaned up', async () => {
    const stop = new AbortController();
    const { eviction, virtual, told } = setUp({
      settings: MEMORY,
      left: [memory(500)],
      podStats: [uses('low', 200)],
      cleanUpMs: 1e9,
      stop: stop.signal,
    });
    const running = eviction.run(stop.signal);
    await virtual.run(virtual.sleep(500));
    stop.abort();
    await virtual.run(running);
    expect(told.filter((line) => line.includes(' end '))).toEqual(['0 end high 1 true']);
  });

  it('measure nothing if nothing is configured', async () => {
    const { eviction } = setUp({
      settings: { ...SETTINGS, limitsLocalStorage: false },
      left: [],
      failing: ['stats'],
    });
    await expect(eviction.round()).resolves.toEqual([]);
  });
});
