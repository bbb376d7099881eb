/** Watches over what the machine is short of, and ends pods. Source: kubernetes v1.34 pkg/kubelet/eviction `managerImpl.Start`. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { EvictablePods, EvictionEvents, ReclaimNode } from '../ports/machine/eviction.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { StatsSource } from '../ports/machine/stats-source.ts';
import { podPath } from '../rules/containers/agent-pod.ts';
import type { NodeReclaim } from '../rules/eviction/disk-layout.ts';
import { type Eviction, evictedStatus, evictionEvent, shortageEvent } from '../rules/eviction/evicted-pod.ts';
import { NO_PRESSURE, type PressureState } from '../rules/eviction/pressure.ts';
import {
  type Decision,
  decide,
  type EvictionSettings,
  evictionsAfterReclaim,
  observe,
} from '../rules/eviction/synchronize.ts';
import type { EvictionSignal, PressureCondition } from '../rules/eviction/thresholds/signals.ts';
import { UNMEASURED_EVENT, unmeasuredPods } from '../rules/eviction/unmeasured.ts';
import type { NodeStats, PodStats } from '../rules/stats/summary.ts';

export interface EvictionDeps {
  readonly settings: EvictionSettings;
  readonly clock: Clock;
  readonly stats: StatsSource;
  readonly pods: EvictablePods;
  readonly events: EvictionEvents;
  readonly reclaim: ReclaimNode;
  /** A pod is evicted. */
  onEviction(signal: EvictionSignal): void;
  readonly log: Log;
}

/** The pause between two rounds. */
const ROUND_MS = 10_000;
/** How long the next round waits for the pods that this one has ended. */
const MOST_CLEAN_UP_MS = 30_000;
const CLEAN_UP_POLL_MS = 1000;

/** A pod that does not end in time counts as evicted: its end goes on. */
const evict = async (deps: EvictionDeps, eviction: Eviction): Promise<void> => {
  const { clock, pods, events, log } = deps;
  const { pod, graceSeconds, signal } = eviction;
  deps.onEviction(signal);
  events.ofPod(pod, evictionEvent(eviction));
  try {
    await pods.end(pod, {
      isEvicted: true,
      graceSeconds,
      status: (status) => evictedStatus(eviction, status, clock.now()),
    });
    log(`Eviction manager: pod ${podPath(pod)} is evicted successfully`);
  } catch (error) {
    log(`Eviction manager: pod ${podPath(pod)} failed to evict`, error);
  }
};

/** What the machine has left after the deletions; `undefined` if there was nothing to delete, or it cannot be measured. */
const reclaimed = async (
  { stats, reclaim, log }: EvictionDeps,
  what: readonly NodeReclaim[],
): Promise<NodeStats | undefined> => {
  for (const one of what)
    await reclaim(one).catch((error: unknown) => log(`Eviction manager: ${one} failed`, error));
  if (what.length === 0) return undefined;
  return stats.node().catch(() => undefined);
};

const evictionsOf = async (deps: EvictionDeps, decision: Decision): Promise<readonly Eviction[]> => {
  if (decision.action === 'none') return [];
  if (decision.action === 'evict') return decision.evictions;
  const { shortage, reclaim } = decision;
  deps.events.ofNode(shortageEvent(shortage.resource));
  deps.log(`Eviction manager: attempting to reclaim ${shortage.resource}`);
  return evictionsAfterReclaim(deps.settings, shortage, await reclaimed(deps, reclaim));
};

/** Nobody sleeps after the stop signal, and what the pods do then is the next agent's. */
const waitForCleanUp = async (
  { clock, pods, log }: EvictionDeps,
  evicted: readonly Pod[],
  signal: AbortSignal,
): Promise<void> => {
  const deadline = clock.uptime() + MOST_CLEAN_UP_MS;
  while (clock.uptime() < deadline) {
    await clock.sleep(CLEAN_UP_POLL_MS);
    if (signal.aborted || evicted.every((pod) => pods.isCleanedUp(pod))) return;
  }
  log(`Eviction manager: timed out waiting for pods ${evicted.map(podPath).join(', ')} to be cleaned up`);
};

export interface RunningEviction {
  /** What the node is short of. Pods are admitted by it, and the Node's conditions say it. */
  conditions(): readonly PressureCondition[];
  /** One round: measures, decides, and ends pods. Resolves to them when they have ended. */
  round(): Promise<readonly Pod[]>;
  /** Rounds, one after another, until `signal` aborts. A round that fails is told, and made up for by the next one. */
  run(signal: AbortSignal): Promise<void>;
}

export const createEviction = (deps: EvictionDeps): RunningEviction => {
  let state: PressureState = NO_PRESSURE;
  let unmeasured: ReadonlySet<string> = new Set();
  const { settings, clock, stats, pods, log } = deps;

  const isOff = settings.thresholds.length === 0 && !settings.limitsLocalStorage;

  const tellUnmeasured = (running: readonly Pod[], measured: readonly PodStats[]): void => {
    const { uids, toTell } = unmeasuredPods(measured, unmeasured);
    unmeasured = uids;
    for (const pod of running)
      if (toTell.has(pod.metadata.uid ?? '')) deps.events.ofPod(pod, UNMEASURED_EVENT);
  };

  const round = async (): Promise<readonly Pod[]> => {
    if (isOff) return [];
    const running = pods.active();
    const observed = observe(settings, state, await stats.node(), clock.uptime());
    state = observed.state;
    // Control groups have many files, and nobody asks for what they say unless a pod has to end.
    const depth = observed.thresholds.length > 0 ? 'all' : 'storage';
    const measured = await stats.pods(pods.measurable(), depth);
    tellUnmeasured(running, measured);
    const evictions = await evictionsOf(deps, decide(settings, observed, running, measured));
    for (const eviction of evictions) await evict(deps, eviction);
    return evictions.map(({ pod }) => pod);
  };

  const safeRound = (): Promise<readonly Pod[]> =>
    round().catch((error: unknown) => {
      log('Eviction manager: failed to get summary stats', error);
      return [];
    });

  return {
    conditions: () => state.conditions,
    round,
    run: async (signal) => {
      while (!signal.aborted) {
        const evicted = await safeRound();
        if (evicted.length > 0) await waitForCleanUp(deps, evicted, signal);
        else await clock.sleep(ROUND_MS);
      }
    },
  };
};
