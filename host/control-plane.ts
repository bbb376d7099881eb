/** Runs all controllers on one machine: their reconciles take work from queues, schedules and the change feed. */
import { telemetry as routingTelemetry } from '../lambdas/change-router/metrics.ts';
import { routeChanges } from '../lambdas/change-router/route-changes.ts';
import { type RoutingFacts, runReportOf } from '../lambdas/contract/controller.ts';
import { CONTROLLER_QUEUES, type LoadedController } from '../lambdas/controllers.ts';
import type { WorkQueues } from '../shared/ports/process/work-queue.ts';
import { createDoorbell, type Doorbell } from '../shared/serving/machine/doorbell.ts';
import type { Loop } from '../shared/serving/machine/loop.ts';
import { forgetEntered } from '../shared/store/claims/hold-addresses.ts';
import { MESSAGE_FAILURES } from './figures/host-metrics.ts';
import { record } from './figures/record.ts';
import { startFeedPump } from './queues/feed-pump.ts';
import {
  type ControlPlaneDeps,
  createInvocation,
  type HostQueues,
  type Invocation,
} from './queues/invocation.ts';
import { startPumps } from './queues/queue-pumps.ts';
import { startSchedules } from './queues/schedules.ts';
import { workersOf } from './queues/workers.ts';

/**
 * Ends the pass of an earlier process. Only this process runs passes now, and the lease of the old one would delay the
 * next.
 */
const endForgottenPass = async ({ control, clock }: ControlPlaneDeps): Promise<void> => {
  const record = await control.readPass();
  if (record && record.leaseUntil > clock.now()) await control.endPass(record.pass, clock.now());
};

/** Without a cluster CIDR the router sends node-ipam nothing. Nodes that come meanwhile are entered when there is one. */
const forgetEnteredNodes = async ({ addresses, nodeIpam }: ControlPlaneDeps): Promise<void> => {
  if (!nodeIpam) await forgetEntered({ addresses });
};

const factsOf = ({ objects, cloud, nodeIpam }: Invocation): RoutingFacts => ({
  mayHave: objects.mayHave,
  hasCloud: cloud !== undefined,
  hasClusterCidr: nodeIpam !== undefined,
});

const route = async (deps: Invocation, changes: Parameters<typeof routeChanges>[1]): Promise<void> => {
  const report = await routeChanges({ ...deps, facts: factsOf(deps) }, changes);
  record(deps, runReportOf(routingTelemetry, report));
};

/** The queues of controllers that do not run: nobody would take a message from them. */
const unattended = (running: readonly LoadedController[]): ReadonlySet<string> => {
  const attended = running.map(({ queue }) => queue?.name);
  return new Set(CONTROLLER_QUEUES.filter((queue) => !attended.includes(queue)));
};

/** The same queues; the doorbell rings after each `send`. What is sent to controllers that do not run is dropped. */
const ringing = <T extends WorkQueues>(queues: T, doorbell: Doorbell, dropped: ReadonlySet<string>): T => ({
  ...queues,
  send: async (queue, outgoing) => {
    if (dropped.has(queue)) return;
    await queues.send(queue, outgoing);
    doorbell.ring();
  },
});

const pumpsOf = (deps: Invocation, controllers: readonly LoadedController[], doorbell: Doorbell): Loop => {
  // A counter that begins at its first failure would hide that failure from `increase()`.
  for (const { queue } of controllers)
    if (queue) deps.metrics.add(MESSAGE_FAILURES, { queue: queue.name }, 0);
  return startPumps({
    ...deps,
    workers: workersOf(deps, controllers),
    doorbell,
    traced: deps.tracing?.handle,
    onFailure: (queue, message, error) => {
      deps.metrics.add(MESSAGE_FAILURES, { queue });
      deps.hostLog.error('the message failed', { queue, body: message?.body, error });
    },
  });
};

const feedOf = (deps: Invocation): Loop => {
  const routed = (batch: Parameters<typeof routeChanges>[1]) => route(deps, batch);
  return startFeedPump({
    ...deps,
    doorbell: deps.changes,
    route: deps.tracing?.route(routed) ?? routed,
    onFailure: (error) => deps.hostLog.error('failed to route changes; they are tried again', { error }),
  });
};

/**
 * Starts these controllers: the loops of their schedules, of the feed and of the queues. A message, batch of changes or scheduled run that fails is
 * logged and tried again.
 */
export const startControlPlane = async (
  deps: ControlPlaneDeps,
  controllers: readonly LoadedController[],
): Promise<readonly Loop[]> => {
  await deps.presence.observe();
  await endForgottenPass(deps);
  await forgetEnteredNodes(deps);
  const messages = createDoorbell();
  const dropped = unattended(controllers);
  const attended = (queues: HostQueues): HostQueues => {
    const rung = ringing(queues, messages, dropped);
    return deps.tracing?.queues(rung) ?? rung;
  };
  const invocation = createInvocation({ ...deps, queues: attended(deps.queues) });
  const pumps = pumpsOf(invocation, controllers, messages);
  const routed = { ...deps.queues, send: deps.queues.sendRouted };
  const feed = feedOf({ ...invocation, queues: attended(routed) });
  const schedules = startSchedules(invocation, controllers);
  return [...schedules, feed, pumps];
};
