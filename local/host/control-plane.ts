/** The controllers on one machine: the functions' reconciles behind queues, timers and the change feed. */
import { reconcile as routeChanges } from '../../lambdas/change-router/reconcile.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { createDoorbell, type Doorbell } from '../serving/doorbell.ts';
import type { Loop } from '../serving/loop.ts';
import { startFeedPump } from './feed-pump.ts';
import { MESSAGE_FAILURES, recordRouting } from './host-figures.ts';
import { type ControlPlaneDeps, createInvocation, type Invocation } from './invocation.ts';
import { type Pumps, startPumps } from './queue-pumps.ts';
import { startRules } from './schedules.ts';
import { workersOf } from './workers.ts';

/** Milliseconds that work in hand gets to end; what does not comes again at the next start. */
const STOP_MS = 2_000;

export interface ControlPlane {
  stop(): Promise<void>;
}

/** The only one that runs passes here is gone: its lease would only keep the next pass waiting. */
const endForgottenPass = async ({ control, clock }: ControlPlaneDeps): Promise<void> => {
  const record = await control.readPass();
  if (record && record.leaseUntil > clock.now()) await control.endPass(record.pass, clock.now());
};

const route = async (deps: Invocation, changes: Parameters<typeof routeChanges>[1]): Promise<void> => {
  const report = await routeChanges(deps, changes);
  recordRouting(deps.figures, report);
  for (const { change, error } of report.badRecords)
    deps.hostLog.error('the change is skipped', { key: (change.after ?? change.before)?.key, error });
};

const ringing = <T extends WorkQueues>(queues: T, doorbell: Doorbell): T => ({
  ...queues,
  send: async (queue, outgoing) => {
    await queues.send(queue, outgoing);
    doorbell.ring();
  },
});

const pumpsOf = (deps: Invocation, doorbell: Doorbell): Pumps =>
  startPumps({
    ...deps,
    workers: workersOf(deps),
    doorbell,
    onFailure: (queue, message, error) => {
      deps.figures.add(MESSAGE_FAILURES, { queue });
      deps.hostLog.error('the message failed', { queue, body: message?.body, error });
    },
  });

const feedOf = (deps: Invocation): Loop =>
  startFeedPump({
    ...deps,
    doorbell: deps.changes,
    route: (batch) => route(deps, batch),
    onFailure: (error) => deps.hostLog.error('the changes could not be routed and come again', { error }),
  });

/** Starts every controller. What messages, changes and rules throw is logged, and comes again. */
export const startControlPlane = async (deps: ControlPlaneDeps): Promise<ControlPlane> => {
  await deps.presence.observe();
  await endForgottenPass(deps);
  const messages = createDoorbell();
  const invocation = createInvocation({ ...deps, queues: ringing(deps.queues, messages) });
  const pumps = pumpsOf(invocation, messages);
  const feed = feedOf(invocation);
  const rules = startRules(invocation);
  return {
    stop: async () => {
      await Promise.all(rules.map((rule) => rule.stop()));
      await feed.stop();
      await pumps.stop(STOP_MS);
    },
  };
};
