/** What runs by the clock: the schedules of all controllers, and the resync of the change router. On AWS EventBridge rules do this. */
import { resync } from '../../lambdas/change-router/resync.ts';
import { RESYNC_SCHEDULE } from '../../lambdas/change-router/schedule.ts';
import type { Schedule } from '../../lambdas/contract/controller.ts';
import type { LoadedController } from '../../lambdas/controllers.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlPlane, Part } from './control-plane-types.ts';

/** One run, and the part of the control plane whose run it is. */
export interface SimulatedRun {
  readonly name: Part;
  readonly run: (ports: ReturnType<ControlPlane['invoke']>) => Promise<unknown>;
}

/** Runs `run` for ever at the schedule's interval. */
const onSchedule = async (
  clock: Clock,
  { everyMinutes, firstAfterSeconds }: Schedule,
  run: () => Promise<unknown>,
): Promise<void> => {
  // At least a millisecond, so that callers can store objects after they started the control plane.
  await clock.sleep(Math.max(1, firstAfterSeconds * 1000));
  for (;;) {
    await run();
    await clock.sleep(everyMinutes * 60_000);
  }
};

/** Starts all of them. `invoke` makes one run, and does not reject. */
export const startSchedules = (
  clock: Clock,
  controllers: readonly LoadedController[],
  invoke: (run: SimulatedRun) => Promise<unknown>,
): void => {
  for (const schedule of controllers.flatMap(({ scheduled }) => scheduled))
    void onSchedule(clock, schedule, () => invoke(schedule));
  void onSchedule(clock, RESYNC_SCHEDULE, () => invoke({ name: 'resync', run: resync }));
};
