/** When the machine's clock is set, moves every stored instant along, so that no timer becomes longer or shorter. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { MachineTime, SteadyClock } from '../../shared/ports/process/clock.ts';
import { stepBetween } from '../../shared/rules/absences/clock-step.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';

interface StoredInstants {
  /** When the host was last seen alive; `undefined` before its first run. */
  lastAlive(): EpochMs | undefined;
  lastMachineTime(): MachineTime | undefined;
  /** Adds `byMs` to every stored instant. */
  moveInstants(byMs: number): void;
}

export interface ClockStepsDeps {
  readonly clock: SteadyClock;
  readonly state: StoredInstants;
  readonly machineTime: () => MachineTime;
  readonly hostLog: Pick<HostLog, 'warn'>;
  /** Called after a step while the host runs; ms, negative: back. */
  readonly onStep?: (byMs: number) => void;
  /** Verified tokens: prolongs them so that they do not expire because the clock was set forward. */
  readonly tokens?: { prolong(byMs: number, now: EpochMs): void };
}

/** Detects that the clock was set while the host runs. */
export interface ClockSteps {
  /**
   * Moves all instants if the clock was set since the last call. Synchronous. Returns the size of the step in ms: negative if the
   * clock was set back, 0 if it was not set.
   */
  settle(): number;
}

const sizeOf = (byMs: number): string =>
  `${byMs < 0 ? 'back' : 'forward'} by ${(Math.abs(byMs) / 1000).toFixed(1)} s`;

const moveAlong = ({ state, hostLog }: ClockStepsDeps, byMs: number, when: string): void => {
  state.moveInstants(byMs);
  hostLog.warn(`the clock was set ${sizeOf(byMs)}${when}: all timers continue unchanged`);
};

/** Moves all instants if the clock was set while the host did not run. Call it before anything reads the stored instants. */
export const applyStepBetweenRuns = (deps: ClockStepsDeps): void => {
  const { clock, state, machineTime } = deps;
  const at = state.lastAlive();
  if (at === undefined) return;
  const byMs = stepBetween({ at, ...state.lastMachineTime() }, { at: clock.now(), ...machineTime() });
  if (byMs !== 0) moveAlong(deps, byMs, ' while the host did not run');
};

export const createClockSteps = (deps: ClockStepsDeps): ClockSteps => ({
  settle: () => {
    const byMs = deps.clock.step();
    if (byMs === 0) return 0;
    moveAlong(deps, byMs, '');
    deps.clock.follow();
    deps.onStep?.(byMs);
    if (byMs > 0) deps.tokens?.prolong(byMs, deps.clock.now());
    return byMs;
  },
});
