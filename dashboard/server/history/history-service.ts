/** Keeps the record of a fleet while somebody looks at it. Without that it asks the API for nothing. */
import { type BackOffDelays, backOff } from '../../../shared/kube/values/back-off.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { HistoryRecorder } from '../../../shared/rules/history/recorder.ts';
import { followEvictions, followZones, type PodPosition } from './follow-evictions.ts';
import { type FollowDeps, type Following, followNodes } from './follow-nodes.ts';
import type { HistoryApi } from './history-api.ts';

/** Milliseconds without a request after which the watches end. The log bridges the time until the next one. */
const IDLE_MS = 5 * 60_000;
const RETRY: BackOffDelays = { firstMs: 1_000, mostMs: 30_000 };

export interface HistoryServiceDeps {
  readonly api: HistoryApi;
  readonly clock: Clock;
  /** The last instant (ms) at which the API was heard. A silence of it is no time in which nothing has happened. */
  readonly asOf: () => EpochMs;
  readonly onError: (error: unknown) => void;
}

/** The history of the fleet behind an API. */
export interface HistoryService {
  /** The recorder, which the log is read into from this call on; resolves as soon as it has something to show, or after a second. */
  asked(): Promise<HistoryRecorder>;
  /** Whether everything up to the last change has been read. */
  isCaughtUp(): boolean;
  /** What kept the log from being read, as a sentence; `undefined` if nothing did. */
  problem(): string | undefined;
  close(): void;
}

type Follow = (signal: AbortSignal) => Promise<void>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Run {
  readonly controller: AbortController;
  readonly following: Following;
  askedAt: EpochMs;
}

/** Creates the service; nothing is read until somebody asks. */
export const createHistoryService = ({ api, clock, asOf, onError }: HistoryServiceDeps): HistoryService => {
  const recorder = new HistoryRecorder();
  const deps: FollowDeps = { api, clock, recorder };
  const position: PodPosition = {};
  const problems = new Map<string, string>();
  let run: Run | undefined;

  /** Follows again and again, as long as somebody asks; after failures with a longer and longer rest. */
  const keep = async (name: string, { controller: { signal } }: Run, follow: Follow): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      problems.delete(name);
      try {
        await follow(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        problems.set(name, messageOf(error));
        onError(error);
        failures += 1;
      }
      await clock.sleep(backOff(RETRY, failures));
    }
  };

  const stopWhenIdle = async (current: Run): Promise<void> => {
    while (!current.controller.signal.aborted) {
      await clock.sleep(RETRY.firstMs);
      if (current.following.isCaughtUp) recorder.seenUntil(Math.min(clock.now(), asOf()));
      if (run === current && clock.now() - current.askedAt > IDLE_MS) stop();
    }
  };

  const stop = (): void => {
    run?.controller.abort();
    run = undefined;
  };

  const start = (): Run => {
    const following: Following = { isCaughtUp: false };
    const begun: Run = { controller: new AbortController(), following, askedAt: clock.now() };
    void keep('nodes', begun, (signal) => followNodes(deps, following, signal));
    void keep('pods', begun, (signal) => followEvictions(deps, position, signal));
    void keep('zones', begun, (signal) => followZones(deps, signal));
    void stopWhenIdle(begun);
    return begun;
  };

  const isCaughtUp = (): boolean => run?.following.isCaughtUp ?? false;

  return {
    asked: async () => {
      run ??= start();
      run.askedAt = clock.now();
      for (let waited = 0; waited < 1_000 && !isCaughtUp(); waited += 50) await clock.sleep(50);
      return recorder;
    },
    isCaughtUp,
    problem: () => [...problems.values()][0],
    close: stop,
  };
};
