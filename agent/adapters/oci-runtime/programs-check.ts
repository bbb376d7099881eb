/** Whether the programs of a runtime still work: they are tried again when their files have changed, as an update of the machine changes them. */
import { statSync } from 'node:fs';
import type { SteadyMs } from '../../rules/stats/summary.ts';
import type { Trial, WorkingRuntime } from './trial.ts';

export interface ProgramsCheck {
  /** Of the runtime that passed the last trial. */
  readonly version: () => string;
  /** Why no container can be started now; `undefined`: one can. Takes as long as a trial where one is needed. */
  readonly fault: () => Promise<string | undefined>;
}

interface CheckOptions {
  /** What passed the trial at the start of the agent. */
  readonly first: WorkingRuntime;
  readonly tryAgain: () => Promise<Trial>;
  readonly uptime: () => SteadyMs;
}

/** How long programs that failed are left alone before they are tried again unchanged (ms). */
const PAUSE_MS = 60_000;

/** `undefined`: it is not there. */
const markOf = (path: string): string | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeMs].join(' ');
};

/** Containers that run have the programs that they were started with, so an agent goes on with no other ones. */
const faultOf = (trial: Trial, { program, conmon }: WorkingRuntime): string | undefined => {
  if ('faults' in trial) return trial.faults.join('; ');
  const { runtime } = trial;
  return runtime.program === program && runtime.conmon === conmon
    ? undefined
    : `${runtime.program} and ${runtime.conmon} work instead of ${program} and ${conmon}: start the agent again`;
};

export const createProgramsCheck = ({ first, tryAgain, uptime }: CheckOptions): ProgramsCheck => {
  const files = [first.program, first.conmon];
  const marks = (): string => files.map(markOf).join('\n');
  let version = first.version;
  let tried: { readonly marks: string; readonly at: SteadyMs; readonly fault?: string | undefined } = {
    marks: marks(),
    at: uptime(),
  };
  const isOld = (now: string): boolean =>
    now !== tried.marks || (tried.fault !== undefined && uptime() - tried.at >= PAUSE_MS);
  return {
    version: () => version,
    fault: async () => {
      const gone = files.find((path) => markOf(path) === undefined);
      if (gone !== undefined) return `${gone} is not there`;
      const now = marks();
      if (!isOld(now)) return tried.fault;
      const trial = await tryAgain();
      tried = { marks: now, at: uptime(), fault: faultOf(trial, first) };
      if ('runtime' in trial && tried.fault === undefined) version = trial.runtime.version;
      return tried.fault;
    },
  };
};
