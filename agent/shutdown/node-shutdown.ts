/** Graceful shutdown of the machine, whatever announces it. */
import type { Verdict } from '../rules/pods/verdict.ts';
import { ADMITTED } from '../rules/pods/verdict.ts';
import {
  NODE_IS_SHUTTING_DOWN,
  SHUTDOWN_REJECTION,
  type ShutdownProgress,
} from '../rules/shutdown/shutting-down.ts';

/** What the rest of the agent asks about shutdowns. */
export interface NodeShutdown {
  /** Begins to listen. Rejects where that is not possible; the agent goes on without graceful shutdown then. */
  start(): Promise<void>;
  /** Stops listening and lets the machine go down. */
  stop(): Promise<void>;
  /** Whether a new pod may run: not while the node shuts down. */
  admit(): Verdict;
  /** The error of the condition Ready while the node shuts down. */
  readyError(): string | undefined;
  /** `undefined` while the node does not shut down. */
  progress(): ShutdownProgress | undefined;
}

/** Whether the node shuts down, and how far it has come. */
export interface ShutdownState {
  isShuttingDown: boolean;
  progress: ShutdownProgress | undefined;
}

/** The answers that follow from the state alone. */
export const shutdownAnswers = (
  state: Readonly<ShutdownState>,
): Pick<NodeShutdown, 'admit' | 'readyError' | 'progress'> => ({
  admit: () => (state.isShuttingDown ? SHUTDOWN_REJECTION : ADMITTED),
  readyError: () => (state.isShuttingDown ? NODE_IS_SHUTTING_DOWN : undefined),
  progress: () => (state.isShuttingDown ? state.progress : undefined),
});

/** No graceful shutdown: the configuration gives pods no time, or the system has none. */
export const noShutdown: NodeShutdown = {
  start: async () => {},
  stop: async () => {},
  ...shutdownAnswers({ isShuttingDown: false, progress: undefined }),
};
