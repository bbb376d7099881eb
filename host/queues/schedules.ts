/** Runs the scheduled work of controllers. On AWS EventBridge rules do this. */

import { resync } from '../../lambdas/change-router/resync.ts';
import { RESYNC_SCHEDULE } from '../../lambdas/change-router/schedule.ts';
import type { Schedule } from '../../lambdas/contract/controller.ts';
import type { LoadedController } from '../../lambdas/controllers.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import { record } from '../figures/record.ts';
import type { Invocation } from './invocation.ts';

/** Starts the schedules of all controllers, and the resync of the change router. */
export const startSchedules = (
  deps: Invocation,
  controllers: readonly LoadedController[],
): readonly Loop[] => {
  const start = (schedule: string, times: Schedule, work: () => Promise<unknown>): Loop =>
    startLoop({
      everyMs: times.everyMinutes * 60_000,
      firstMs: times.firstAfterSeconds * 1000,
      work,
      onError: (error) => deps.hostLog.error('the scheduled run failed', { schedule, error }),
    });
  return [
    ...controllers.flatMap(({ scheduled }) =>
      scheduled.map(({ name, run, ...times }) =>
        start(name, times, async () => record(deps, await run(deps))),
      ),
    ),
    start('resync', RESYNC_SCHEDULE, () => resync(deps)),
  ];
};
