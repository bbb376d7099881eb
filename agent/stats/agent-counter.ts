/** Counts what the agent does, for its metrics. */

import type { WorkSource } from '../ports/api/work-source.ts';
import type { ShutdownGauges } from '../ports/machine/shutdown.ts';
import type { EvictionSignal } from '../rules/eviction/thresholds/signals.ts';
import type { AgentCounts, WorkAnswerKind } from '../rules/metrics/agent-metrics.ts';

export interface AgentCounter {
  beat(): void;
  evicted(signal: EvictionSignal): void;
  readonly shutdowns: ShutdownGauges;
  /** The same source; what it answers is counted. */
  countedWork(source: WorkSource): WorkSource;
  counts(): AgentCounts;
}

const increase = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

export const createAgentCounter = (): AgentCounter => {
  const [evictions, workRequests] = [new Map<EvictionSignal, number>(), new Map<WorkAnswerKind, number>()];
  const single = { beats: 0, shutdownStartedAt: 0, shutdownEndedAt: 0 };
  return {
    beat: () => {
      single.beats += 1;
    },
    evicted: (signal) => increase(evictions, signal),
    shutdowns: {
      startedAt: (at) => {
        single.shutdownStartedAt = at;
      },
      endedAt: (at) => {
        single.shutdownEndedAt = at;
      },
    },
    countedWork: (source) => ({
      page: async (from, etag) => {
        try {
          const answer = await source.page(from, etag);
          increase(workRequests, answer === 'unchanged' ? answer : 'read');
          return answer;
        } catch (error) {
          increase(workRequests, 'failed');
          throw error;
        }
      },
    }),
    counts: () => ({ ...single, evictions, workRequests }),
  };
};
