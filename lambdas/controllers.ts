/** The only list of controllers. Host, simulation, change router and stack iterate over it. */
import { attachDetach } from './attach-detach/controller.ts';
import { capacityRelease } from './capacity-release/controller.ts';
import { cloudNode } from './cloud-node/controller.ts';
import type {
  Controller,
  ControllerPorts,
  Routing,
  RunReport,
  Schedule,
  Work,
} from './contract/controller.ts';
import { daemonSet } from './daemon-set/controller.ts';
import { deployment } from './deployment/controller.ts';
import { disruption } from './disruption/controller.ts';
import { drain } from './drain/controller.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import { hold } from './hold/controller.ts';
import { job } from './job/controller.ts';
import { namespace } from './namespace/controller.ts';
import { nodeEviction } from './node-eviction/controller.ts';
import { nodeIpam } from './node-ipam/controller.ts';
import { nodeMonitor } from './node-monitor/controller.ts';
import { podGc } from './pod-gc/controller.ts';
import { podReadiness } from './pod-readiness/controller.ts';
import { replicaSet } from './replica-set/controller.ts';
import { scheduler } from './scheduler/controller.ts';
import { statefulSet } from './stateful-set/controller.ts';
import { taintEviction } from './taint-eviction/controller.ts';
import { volumeAttacher } from './volume-attacher/controller.ts';
import { volumeBinder } from './volume-binder/controller.ts';

/** All controllers. The change router sends to the controllers' queues in this order. */
export const CONTROLLERS = [
  nodeMonitor,
  nodeEviction,
  taintEviction,
  podReadiness,
  nodeIpam,
  scheduler,
  garbageCollector,
  namespace,
  podGc,
  capacityRelease,
  disruption,
  drain,
  hold,
  replicaSet,
  statefulSet,
  deployment,
  daemonSet,
  job,
  volumeBinder,
  attachDetach,
  volumeAttacher,
  cloudNode,
] as const;

/** The type of any listed controller, with its literal names. */
export type AnyController = (typeof CONTROLLERS)[number];
type KeysOf<Schedules> = Schedules extends object ? keyof Schedules & string : never;

export type ControllerName = AnyController['name'];
/** A queue whose messages a controller handles. */
export type ControllerQueue = Extract<AnyController, { readonly queue: object }>['queue']['name'];
type ControllerWithRouting = Extract<AnyController, { readonly routing: object }>;
/** A queue that the change router sends to. */
export type RoutedQueue = ControllerWithRouting['queue']['name'];
export type ScheduleName = KeysOf<AnyController['schedules']>;

/** The same list, widened so that optional fields can be read. */
const UNTYPED: readonly Controller[] = CONTROLLERS;

export const CONTROLLER_QUEUES = UNTYPED.flatMap(({ queue }) =>
  queue ? [queue.name] : [],
) as readonly ControllerQueue[];

export const SCHEDULE_NAMES = UNTYPED.flatMap(({ schedules }) =>
  Object.keys(schedules),
) as readonly ScheduleName[];

/** A controller that gets messages from the change router: its name, queue and routing. */
export interface RoutedController extends Routing {
  readonly controller: ControllerWithRouting['name'];
  readonly queue: RoutedQueue;
}

const routedBy = ({ name, queue, routing }: ControllerWithRouting): RoutedController => ({
  controller: name,
  queue: queue.name,
  ...routing,
});

/** The controllers that get messages from the change router, in the order of the list. */
export const ROUTED_CONTROLLERS: readonly RoutedController[] = CONTROLLERS.flatMap((controller) =>
  'routing' in controller ? [routedBy(controller)] : [],
);

export const ROUTED_QUEUES: readonly RoutedQueue[] = ROUTED_CONTROLLERS.map(({ queue }) => queue);

export interface ScheduledRun extends Schedule {
  readonly name: ScheduleName;
  readonly run: (ports: ControllerPorts) => Promise<RunReport>;
}

/** A controller with its work, for a process that runs all of them. */
export interface LoadedController extends Pick<Controller, 'queue'> {
  readonly name: ControllerName;
  readonly work: Work;
  readonly scheduled: readonly ScheduledRun[];
}

const scheduledRuns = ({ schedules }: Controller, { runs }: Work): readonly ScheduledRun[] =>
  Object.entries(schedules).flatMap(([name, schedule]) => {
    const run = runs[name];
    return run ? [{ ...schedule, name: name as ScheduleName, run }] : [];
  });

/** All controllers with their work, in the order of the list. */
export const loadControllers = (): Promise<readonly LoadedController[]> =>
  Promise.all(
    CONTROLLERS.map(async (controller) => {
      const work: Work = await controller.load();
      return { ...controller, work, scheduled: scheduledRuns(controller, work) };
    }),
  );
