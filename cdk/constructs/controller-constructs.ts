import type { Construct } from 'constructs';
import { type Listed, ROUTED, type RoutedQueue } from '../../lambdas/controllers.ts';
import type { WorkQueue } from './work-queue.ts';

type ConstructOf<Controller> = Controller extends { readonly queue: object }
  ? Construct & { readonly queue: WorkQueue }
  : Construct;

/** The construct of each listed controller. If one is missing, the stack does not compile. */
export type ControllerConstructs = {
  readonly [Controller in Listed as Controller['name']]: ConstructOf<Controller>;
};

/** The queues that the change router sends to. */
export const routedQueues = (controllers: ControllerConstructs): Readonly<Record<RoutedQueue, WorkQueue>> =>
  Object.fromEntries(ROUTED.map(({ controller, queue }) => [queue, controllers[controller].queue])) as Record<
    RoutedQueue,
    WorkQueue
  >;
