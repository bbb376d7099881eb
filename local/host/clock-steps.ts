/** The machine's clock is set: every stored instant moves along, so that no timer becomes longer or shorter. */
import type { EpochMs } from '../../shared/api/time.ts';
import { stepBetween } from '../../shared/domain/nodes/absence.ts';
import type { MachineTime, SteadyClock } from '../../shared/ports/clock.ts';
import type { HostLog } from '../serving/host-log.ts';

interface StoredInstants {
  lastAlive(): EpochMs | undefined;
  lastMachineTime(): MachineTime | undefined;
  moveInstants(byMs: number): void;
}

export interface ClockStepsDeps {
  readonly clock: SteadyClock;
  readonly state: StoredInstants;
  readonly machineTime: () => MachineTime;
  readonly hostLog: Pick<HostLog, 'warn'>;
  /** Tokens that machines use: they must not expire because the clock was set forward. */
  readonly tokens?: { prolong(byMs: number, now: EpochMs): void };
}

export interface ClockSteps {
  /** Handles a step since the last call, all in one turn, and returns its size (ms, negative: back); 0: there was none. */
  settle(): number;
}

const sizeOf = (byMs: number): string =>
  `${byMs < 0 ? 'back' : 'forward'} by ${(Math.abs(byMs) / 1000).toFixed(1)} s`;

const moveAlong = ({ state, hostLog }: ClockStepsDeps, byMs: number, when: string): void => {
  state.moveInstants(byMs);
  hostLog.warn(`the clock was set ${sizeOf(byMs)}${when}: all timers go on as if it had not been`);
};

/** Handles what happened to the clock since the host last ran; to be called before anything reads the stored instants. */
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
    if (byMs > 0) deps.tokens?.prolong(byMs, deps.clock.now());
    return byMs;
  },
});
