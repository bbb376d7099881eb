/** The handler of a function that runs a group of controllers. `cdk` writes the entry, which names the controllers and calls this. */
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createDeliverAgain } from '../../shared/adapters/sqs/redelivery.ts';
import type { ControllerPorts, RunReport, Work } from '../contract/controller.ts';
import { composeSchedule, type ScheduleEvent } from '../runtime/compose-schedule.ts';
import { composeSqs, type QueueMessage } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tellRun } from '../runtime/tell.ts';
import { GroupEnv } from './env.ts';
import { type GroupPorts, groupPorts } from './ports.ts';

/** A controller of the group. */
export interface GroupController {
  /** The name of its queue. */
  readonly queue: string;
  readonly work: Work;
}

/** Handles a message. Throws if the queue that it names is not of this group; one that names none is for the first controller. */
export const messageHandler =
  (controllers: readonly GroupController[], ports: ControllerPorts) =>
  async ({ queue, body }: QueueMessage): Promise<RunReport> => {
    const found = controllers.find((one) => queue === undefined || one.queue === queue);
    if (!found) throw new Error(`no controller of this function handles the queue "${queue}"`);
    return found.work.handle(ports, body);
  };

/** Runs a schedule by its name, or handles a message that a rule sends at each of its instants. Throws if no controller has the schedule. */
export const scheduleHandler = (controllers: readonly GroupController[], ports: ControllerPorts) => {
  const runs = Object.assign(
    {},
    ...controllers.map(({ work }) => work.runs),
  ) as GroupController['work']['runs'];
  const onMessage = messageHandler(controllers, ports);
  return async ({ schedule = '', message }: ScheduleEvent): Promise<RunReport> => {
    if (message) return onMessage(message);
    const run = Object.hasOwn(runs, schedule) ? runs[schedule] : undefined;
    if (!run) throw new Error(`no controller of this function has the schedule "${schedule}"`);
    return run(ports);
  };
};

/** Makes the ports that only this group has. */
export type MorePorts = (ports: GroupPorts) => Promise<Partial<ControllerPorts>>;

/** Reads the environment, and throws if it is wrong. */
export const createGroupHandler = async (controllers: readonly GroupController[], morePorts?: MorePorts) => {
  const [env, sqs] = [parseEnv(GroupEnv), createSqsClient()];
  const own = groupPorts(env, sqs);
  const ports: ControllerPorts = { ...own, ...(await morePorts?.(own)) };
  const onMessage = messageHandler(controllers, ports);
  const onSchedule = scheduleHandler(controllers, ports);
  const deliverAgain = createDeliverAgain(sqs, env.WORK_QUEUES, controllers[0]?.queue ?? '');
  return recordsOrSchedule(
    composeSqs(async (message) => tellRun(await onMessage(message)), { deliverAgain }),
    composeSchedule(async (event) => tellRun(await onSchedule(event))),
  );
};
