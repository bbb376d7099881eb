/** What rules do on AWS. */
import { resync } from '../../lambdas/change-router/resync.ts';
import { enqueueTicks } from '../../lambdas/node-monitor/ticks.ts';
import { sweep } from '../../lambdas/taint-eviction/sweep.ts';
import { type Loop, startLoop } from '../serving/loop.ts';
import { recordSweep } from './host-figures.ts';
import type { Invocation } from './invocation.ts';

const MINUTE_MS = 60_000;

/** Ticks and the sweep each minute; the resync each hour, and first of all: changes of a time without controllers were forgotten. */
export const startRules = (deps: Invocation): readonly Loop[] => {
  const { clock, figures, hostLog } = deps;
  const rule = (name: string, firstMs: number, everyMs: number, work: () => Promise<unknown>): Loop =>
    startLoop({ everyMs, firstMs, work, onError: (error) => hostLog.error(`${name} failed`, { error }) });
  return [
    rule('queueing ticks', 0, MINUTE_MS, () => enqueueTicks(deps, clock.now())),
    rule('the sweep', MINUTE_MS / 2, MINUTE_MS, async () => recordSweep(figures, await sweep(deps))),
    rule('the resync', 0, 60 * MINUTE_MS, () => resync(deps)),
  ];
};
