/** The workers of the queues: controllers handle the messages, some of them differently after an absence of the host. */
import type { ControllerPorts } from '../../lambdas/contract/controller.ts';
import type { ControllerName, LoadedController } from '../../lambdas/controllers.ts';
import { TaintEvictionMessage } from '../../lambdas/taint-eviction/message.ts';
import { TAINT_EVICTION_QUEUE } from '../../lambdas/taint-eviction/queue.ts';
import { EVICTION_WAKEUPS } from '../../shared/ports/process/messages.ts';
import type { QueueName } from '../../shared/ports/process/work-queue.ts';
import { isTaintedByHealth } from '../../shared/rules/zones/health-taints.ts';
import { record } from '../figures/record.ts';
import type { Invocation } from './invocation.ts';
import { monitorPasses } from './monitor-passes.ts';
import type { Worker } from './queue-pumps.ts';

type Handle = Worker['handle'];
/** A handler that uses these ports and records the report. */
type Handling = (ports: ControllerPorts) => Handle;

const always = (): boolean => true;

const restMs = ({ presence, clock }: Invocation): number =>
  Math.max(0, presence.deletionsRestUntil() - clock.now());

/** Sends a message again with a delay (whole seconds) until evictions go on. */
const sendAgain = (deps: Invocation, queue: QueueName, body: unknown): Promise<void> =>
  deps.queues.send(queue, [{ body, delaySeconds: Math.ceil(restMs(deps) / 1000) }]);

/**
 * Handles a message. If the host was away or the clock was set meanwhile, sends it again: writes may have been refused, and are
 * decided again.
 */
const unlessAway =
  (deps: Invocation, queue: QueueName, handle: Handle): Handle =>
  async (body) => {
    const before = deps.presence.returns();
    await handle(body);
    if (deps.presence.returns() !== before) await sendAgain(deps, queue, body);
  };

/**
 * Postpones messages of nodes that are tainted for their health until evictions go on. Pods are evicted for other taints
 * meanwhile.
 */
const evictingPods = (deps: Invocation, handle: Handle): Handle => {
  const queue = TAINT_EVICTION_QUEUE.name;
  const isResting = async (name: string): Promise<boolean> => {
    if (restMs(deps) === 0) return false;
    const row = await deps.objects.read({ resource: 'nodes', namespace: '', name });
    return row?.state === 'live' && isTaintedByHealth(row.facts.node?.noExecute ?? []);
  };
  return unlessAway(deps, queue, async (body) => {
    const message = TaintEvictionMessage.parse(body);
    if (message.kind === 'node' && (await isResting(message.name))) await sendAgain(deps, queue, body);
    else await handle(body);
  });
};

type OwnWay = (deps: Invocation, handling: Handling) => Pick<Worker, 'handle'> & Partial<Worker>;

/** Controllers that judge the silence of nodes, or act on it. All others handle messages at once, also after an absence. */
const AFTER_ABSENCE: { readonly [Name in ControllerName]?: OwnWay } = {
  'node-monitor': (deps) => ({ handle: monitorPasses(deps) }),
  // After an absence no new taints are put. Wake-ups wait in their queue meanwhile.
  'node-eviction': (deps, handling) => ({
    isOpen: () => deps.presence.quietUntil() <= deps.clock.now(),
    handle: unlessAway(deps, EVICTION_WAKEUPS, handling({ ...deps, writer: deps.taintWriter })),
  }),
  // A machine that came back meanwhile has its beat intervals before a service switches it off.
  'cloud-node': (deps, handling) => ({
    isOpen: () => deps.presence.quietUntil() <= deps.clock.now(),
    handle: handling(deps),
  }),
  'taint-eviction': (deps, handling) => ({ handle: evictingPods(deps, handling(deps)) }),
};

const workerOf = (deps: Invocation, { name, queue, work }: LoadedController): readonly Worker[] => {
  if (!queue) return [];
  const handling: Handling = (ports) => async (body) => record(deps, await work.handle(ports, body));
  const own = AFTER_ABSENCE[name]?.(deps, handling) ?? { handle: handling(deps) };
  return [{ queue: queue.name, concurrency: queue.concurrency, isOpen: always, ...own }];
};

/** A worker for the queue of each controller that has one. */
export const workersOf = (deps: Invocation, controllers: readonly LoadedController[]): readonly Worker[] =>
  controllers.flatMap((controller) => workerOf(deps, controller));
