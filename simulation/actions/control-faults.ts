import type { FaultRates } from '../../shared/adapters/hostile/process.ts';
import { NO_FAULTS } from '../../shared/adapters/hostile/process.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlFault, Plan } from '../plan/plan.ts';
import type { ControlPlane, ControlPlaneOptions } from '../plane/control-plane-types.ts';
import { createHostileInvocations } from '../plane/hostile-invocation.ts';

/** Faults of the platform under all calls. */
type Trouble = Extract<ControlFault, { kind: 'trouble' }>;
type Redeploy = Extract<ControlFault, { kind: 'redeploy' }>;

/** A probability above 1: the fault always happens. */
const ALWAYS = 2;

const isOn = ({ from, to }: ControlFault, now: number): boolean => now >= from && now < to;

/** The highest rate of each fault at an instant. */
const troubleAt = (troubles: readonly Trouble[], now: number): FaultRates => {
  const worst = { ...NO_FAULTS };
  for (const { rates } of troubles.filter((trouble) => isOn(trouble, now)))
    for (const name of Object.keys(worst) as (keyof FaultRates)[])
      worst[name] = Math.max(worst[name], rates[name] ?? 0);
  return worst;
};

/** Fault rates of an invocation that starts now. If a redeploy begins later, the invocation crashes at its next call. */
const ratesSince = (rates: FaultRates, redeploys: readonly Redeploy[], clock: Clock): FaultRates => {
  const startedAt = clock.now();
  const isKilled = (now: number): boolean =>
    redeploys.some((redeploy) => isOn(redeploy, now) || (startedAt < redeploy.from && now >= redeploy.from));
  return Object.defineProperty({ ...rates }, 'crash', {
    get: () => (isKilled(clock.now()) ? ALWAYS : rates.crash),
  });
};

/** Wraps the ports of each invocation so that they fail as planned. Without planned faults the ports stay as they are. */
export const invocationUnder = (
  { seed, controlFaults }: Plan,
  clock: Clock,
): NonNullable<ControlPlaneOptions['invocation']> => {
  const troubles = controlFaults.filter((fault) => fault.kind === 'trouble');
  const redeploys = controlFaults.filter((fault) => fault.kind === 'redeploy');
  if (troubles.length + redeploys.length === 0) return (ports) => ports;
  const rates = () => ratesSince(troubleAt(troubles, clock.now()), redeploys, clock);
  return createHostileInvocations(seed, clock, rates).invocation;
};

const pauseParts = async (
  { clock, set }: ControlPlane,
  { from, to, parts }: Extract<ControlFault, { kind: 'pause' }>,
) => {
  await clock.sleep(from - clock.now());
  for (const part of parts) set(part, false);
  await clock.sleep(to - from);
  for (const part of parts) set(part, true);
};

/** Switches parts of the control plane off and on as planned. */
export const startPauses = (plane: ControlPlane, { controlFaults }: Plan): void => {
  for (const fault of controlFaults) if (fault.kind === 'pause') void pauseParts(plane, fault);
};
