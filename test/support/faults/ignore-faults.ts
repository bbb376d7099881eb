import { Crash, TimedOut } from '../../../shared/adapters/hostile/process.ts';
import { StatusError } from '../../../shared/kube/errors/status-error.ts';

/** Throws what is neither a fault of the hostile wrapper nor an answer of the API. */
export const ignoreFaults = (error: unknown): void => {
  if (!(error instanceof Crash || error instanceof TimedOut || error instanceof StatusError)) throw error;
};
