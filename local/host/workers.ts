/** Who takes the messages of each queue: the functions' reconciles. */
import { reconcile as evictNodes } from '../../lambdas/node-eviction/reconcile.ts';
import { awaitTick, runPass } from '../../lambdas/node-monitor/reconcile.ts';
import { enqueueTicks } from '../../lambdas/node-monitor/ticks.ts';
import { reconcile as markPods } from '../../lambdas/pod-readiness/reconcile.ts';
import { reconcile as evictPods } from '../../lambdas/taint-eviction/reconcile.ts';
import {
  EvictionWakeup,
  MonitorTick,
  PodReadinessMessage,
  TaintEvictionMessage,
} from '../../shared/ports/messages.ts';
import type { QueueName } from '../../shared/ports/work-queue.ts';
import { MOST_TOGETHER } from './group-commit.ts';
import { recordEvictions, recordMarked, recordPass, recordWakeup } from './host-figures.ts';
import { type Invocation, isTaintedByHealth } from './invocation.ts';
import type { Worker } from './queue-pumps.ts';

/** Passes are few and short; ticks come up to a second early and wait. */
const PASSES = 8;
/** These mostly wait for an instant; one per zone or node at a time. */
const WAITING = 256;
const MARKING = 16;

type Handle = Worker['handle'];

const always = (): boolean => true;

/** After the clock was set, and after a long suspension, no tick is on its way that fits: the next minute's come at once. */
const monitorPasses = (deps: Invocation): Handle => {
  const { presence, clock, figures } = deps;
  let returns = presence.returns();
  return async (body) => {
    const instant = await awaitTick(deps, MonitorTick.parse(body));
    // After the wait, so that its floor is the one that the pass reads.
    await presence.observe();
    if (presence.returns() !== returns) {
      returns = presence.returns();
      await enqueueTicks(deps, clock.now());
    }
    recordPass(figures, await runPass(deps, instant));
  };
};

const restMs = ({ presence, clock }: Invocation): number =>
  Math.max(0, presence.deletionsRestUntil() - clock.now());

/** When the rest is over, in whole seconds. */
const sendAgain = (deps: Invocation, queue: QueueName, body: unknown): Promise<void> =>
  deps.queues.send(queue, [{ body, delaySeconds: Math.ceil(restMs(deps) / 1000) }]);

/**
 * Handles a message, and sends it again where the host was away or the clock was set meanwhile: what was refused on the way is
 * decided again.
 */
const unlessAway =
  (deps: Invocation, queue: QueueName, handle: Handle): Handle =>
  async (body) => {
    const before = deps.presence.returns();
    await handle(body);
    if (deps.presence.returns() !== before) await sendAgain(deps, queue, body);
  };

/** Pods leave a node for other taints also while those that leave it for its health rest. */
const evictingPods = (deps: Invocation): Handle => {
  const isResting = async (name: string): Promise<boolean> => {
    if (restMs(deps) === 0) return false;
    const row = await deps.log.read({ resource: 'nodes', namespace: '', name });
    return row?.state === 'live' && isTaintedByHealth(row.facts.node?.noExecute ?? []);
  };
  return unlessAway(deps, 'taint-eviction', async (body) => {
    const message = TaintEvictionMessage.parse(body);
    if (message.kind === 'node' && (await isResting(message.name)))
      await sendAgain(deps, 'taint-eviction', body);
    else recordEvictions(deps.figures, await evictPods({ ...deps, podsAtOnce: MOST_TOGETHER }, message));
  });
};

/** New taints rest after an absence; wake-ups wait in their queue meanwhile. Pods go by their stored deadlines. */
export const workersOf = (deps: Invocation): readonly Worker[] => {
  const { figures, presence, clock } = deps;
  const mayTaint = (): boolean => presence.quietUntil() <= clock.now();
  return [
    {
      queue: 'node-monitor-ticks',
      concurrency: PASSES,
      isOpen: always,
      handle: monitorPasses(deps),
    },
    {
      queue: 'eviction-wakeups',
      concurrency: WAITING,
      isOpen: mayTaint,
      handle: unlessAway(deps, 'eviction-wakeups', async (body) =>
        recordWakeup(
          figures,
          await evictNodes({ ...deps, writer: deps.taintWriter }, EvictionWakeup.parse(body)),
        ),
      ),
    },
    {
      queue: 'taint-eviction',
      concurrency: WAITING,
      isOpen: always,
      handle: evictingPods(deps),
    },
    {
      queue: 'pod-readiness',
      concurrency: MARKING,
      isOpen: always,
      handle: async (body) =>
        recordMarked(figures, (await markPods(deps, PodReadinessMessage.parse(body))).marked),
    },
  ];
};
