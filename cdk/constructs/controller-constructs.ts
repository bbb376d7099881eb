import type { Construct } from 'constructs';
import { type AnyController, ROUTED_CONTROLLERS, type RoutedQueue } from '../../lambdas/controllers.ts';
import type { WorkQueue } from './work-queue.ts';

type ConstructOf<Controller> = Controller extends { readonly queue: object }
  ? Construct & { readonly queue: WorkQueue }
  : Construct;

/** The construct of each listed controller. If one is missing, the stack does not compile. */
export type ControllerConstructs = {
  readonly [Controller in AnyController as Controller['name']]: ConstructOf<Controller>;
};

/** The queues that the change router sends to. */
export const routedQueues = (controllers: ControllerConstructs): Readonly<Record<RoutedQueue, WorkQueue>> =>
  Object.fromEntries(
    ROUTED_CONTROLLERS.map(({ controller, queue }) => [queue, controllers[controller].queue]),
  ) as Record<RoutedQueue, WorkQueue>;
