/** What a shutdown of the machine asks of the rest of the agent. */
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { DecidedEnd } from '../../rules/shutdown/decided-ends.ts';
import type { ShutdownRecord } from '../../rules/shutdown/record.ts';
import type { ShutdownProgress } from '../../rules/shutdown/shutting-down.ts';

/** How a pod is ended. */
export interface PodEnding {
  /** Whether the pod is evicted. A shutdown does not evict. */
  readonly isEvicted: boolean;
  /** Seconds that the pod has, instead of its own. */
  readonly graceSeconds: number;
  /** The status that the pod gets when its containers have stopped. */
  readonly status: (status: PodStatus) => PodStatus;
}

export interface PodsOnNode {
  /** All pods that have not ended for good, those without an object of the API, too. */
  active(): readonly Pod[];
  /** Resolves when all containers of the pod have stopped; rejects when they do not stop in time. */
  end(pod: Pod, ending: PodEnding): Promise<void>;
  /** Resolves when no volume of these pods is mounted; rejects when `signal` aborts first. */
  unmounted(pods: readonly Pod[], signal: AbortSignal): Promise<void>;
  /** Resolves when these pods have ended and the API has answered their last statuses; at the latest when `signal` aborts. */
  reported(pods: readonly Pod[], signal: AbortSignal): Promise<void>;
}

/** The Node as the control plane sees it. */
export interface NodeReport {
  /** Records an Event of the type `Normal` about the Node. */
  event(reason: string, message: string): void;
  /** Sends the Node's status now, if it has changed. */
  sync(): Promise<void>;
  /** Tells that a phase of the shutdown has begun; `undefined`: the shutdown is cancelled. */
  progressed(progress: ShutdownProgress | undefined): void;
}

/** When the last shutdown began and ended. It survives the machine's end. */
export interface ShutdownRecordStore {
  /** `undefined` if there is none. */
  load(): Promise<ShutdownRecord | undefined>;
  store(record: ShutdownRecord): Promise<void>;
}

/** The pods that shutdowns were about to end. They survive the machine's end. */
export interface DecidedEndsStore {
  load(): Promise<readonly DecidedEnd[]>;
  store(ends: readonly DecidedEnd[]): Promise<void>;
}

/** The gauges `kubelet_graceful_shutdown_start_time_seconds` and `…_end_time_seconds`. */
export interface ShutdownGauges {
  startedAt(at: EpochMs): void;
  /** 0: it has not ended. */
  endedAt(at: EpochMs): void;
}

/** Where the agent tells what went wrong and went on. */
export type Log = (message: string, error?: unknown) => void;
