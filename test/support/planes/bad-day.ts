import type { NodeMonitorConfig } from '../../../lambdas/node-monitor/reconcile.ts';
import type { Chance, createChance } from '../../../shared/adapters/hostile/chance.ts';
import { createHostileHeartbeatStore } from '../../../shared/adapters/hostile/heartbeat-store.ts';
import type { FaultRates } from '../../../shared/adapters/hostile/process.ts';
import {
  Crash,
  createHostileProcess,
  NO_FAULTS,
  TimedOut,
} from '../../../shared/adapters/hostile/process.ts';
import { createVirtualClock, type VirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { DiskCloud } from '../../../shared/ports/outside/disk-cloud.ts';
import { TurnLost } from '../../../shared/store/turns/owner-turns.ts';
import type {
  ControlPlane,
  ControlPlaneOptions,
  Invocation,
} from '../../../simulation/plane/control-plane-types.ts';
import { createHostileInvocations } from '../../../simulation/plane/hostile-invocation.ts';
import { createMemoryControlPlane } from './control-plane.ts';

/** A token that was really taken, whether or not its worker came to know, and the instant that it was taken for. */
export interface Token {
  readonly zone: string;
  readonly at: number;
}

export interface BadDay {
  readonly plane: ControlPlane;
  readonly chance: ReturnType<typeof createChance>;
  readonly tokens: readonly Token[];
  /** Beats of nodes come in by this plane, so that scans can lag behind them. */
  readonly beating: Pick<ControlPlane, 'clock' | 'state'>;
  /** Calls that processes made of the ports so far. */
  readonly steps: () => number;
  /** From now on every new invocation is a healthy one. */
  calm(): void;
}

export interface BadDaySettings
  extends Pick<
    ControlPlaneOptions,
    'terminatedPodGcThreshold' | 'cloud' | 'outOfService' | 'onCommit' | 'skipsCalmPasses'
  > {
  readonly disks?: (clock: VirtualClock, chance: Chance) => DiskCloud;
}

/** A control plane whose every invocation is a process of its own, with faults at these rates. */
export const createBadDay = (
  seed: number,
  faults: FaultRates,
  config: Partial<NodeMonitorConfig> = {},
  { disks, ...settings }: BadDaySettings = {},
): BadDay => {
  const clock = createVirtualClock();
  const tokens: Token[] = [];
  let rates = faults;
  const { chance, items, invocation } = createHostileInvocations(seed, clock, () => rates);
  const counting = (control: Invocation['control']): Invocation['control'] => ({
    ...control,
    swapLimiter: async (id, read, next) => {
      const isTaken = await control.swapLimiter(id, read, next);
      const at = next.nextAt - Math.ceil(1000 / next.rate);
      // A limiter that moves before it was due has learned when its taint stood: that takes nothing.
      if (isTaken && read.nextAt <= at) tokens.push({ zone: id, at });
      return isTaken;
    },
  });
  let steps = 0;
  const counted = (ports: Invocation): Invocation => {
    const tallying = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name, receiver) => {
          steps += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const { objects, heartbeats, control, queues } = ports;
    return {
      ...ports,
      objects: tallying(objects),
      heartbeats: tallying(heartbeats),
      control: tallying(control),
      queues: tallying(queues),
    };
  };
  const plane = createMemoryControlPlane({
    clock,
    config,
    ...settings,
    ...(disks ? { disks: disks(clock, chance.fork()) } : {}),
    invocation: (ports) => counted(invocation({ ...ports, control: counting(ports.control) })),
  });
  const healthy = createHostileProcess(clock, chance.fork(), NO_FAULTS);
  const heartbeats = createHostileHeartbeatStore(plane.state.heartbeats, items, healthy);
  return {
    plane,
    chance,
    tokens,
    beating: { clock, state: { ...plane.state, heartbeats } },
    steps: () => steps,
    calm: () => {
      rates = NO_FAULTS;
    },
  };
};

const FAULTS = [Crash, TimedOut, StatusError, TurnLost];

/** Parts of a batch may fail each for itself. */
const isExplained = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isExplained)
    : FAULTS.some((fault) => error instanceof fault);

/** What a bad day explains; anything else is a mistake of ours. */
export const unexplained = (failures: readonly unknown[]): readonly unknown[] =>
  failures.filter((error) => !isExplained(error));
