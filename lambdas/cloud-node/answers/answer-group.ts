/** Answers the Auto Scaling group that waits until a node is drained. */
import type { CloudProvider } from '../../../shared/ports/outside/cloud-provider.ts';
import type { LiveRow } from '../../../shared/ports/store/rows.ts';
import { isDrained } from '../../../shared/rules/drain/drain-progress.ts';
import { drainRequestOf } from '../../../shared/rules/drain/node-drain.ts';
import type { CloudNodeDeps } from '../deps.ts';
import type { ActionMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';
import { isHeeded } from './heeded.ts';
import { readNodes } from './judged.ts';

/** Seconds between two looks, and before the first one: the drain has looked at the node by then. */
const EVERY_SECONDS = 10;
export const FIRST_POLL = EVERY_SECONDS;
/** Looks after which the group is told to go on waiting. The shortest time-out of a hook is 30 s, its default an hour. */
const PROLONG_EVERY = 2;

type Verdict = 'complete' | 'wait' | 'cancelled';

/** Whoever uncordons the node wants to keep it; the group then does what its hook says when the time is over. */
const judge = (row: LiveRow | undefined, { until }: ActionMessage, now: number): Verdict => {
  if (!row || isDrained(row.object) || now >= until) return 'complete';
  return drainRequestOf(row.object) ? 'wait' : 'cancelled';
};

/** A group that is answered ends the machine, so a Node that is not named for it any more is no reason to answer. */
const verdictOn = async (deps: CloudNodeDeps, message: ActionMessage): Promise<Verdict> => {
  const { name, uid, instance, action } = message;
  const [found] = await readNodes(deps, [name]);
  const row = found?.uid === uid ? found : undefined;
  if (row && !(await isHeeded(deps, row, { instance, id: action.token }))) return 'cancelled';
  return judge(row, message, deps.clock.now());
};

/** Lets the group end the instance once the node is drained or gone, and tells it to wait until then. Looks again by a message. */
export const answerGroup = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  message: ActionMessage,
): Promise<void> => {
  const { instance, action, polls } = message;
  const verdict = await verdictOn(deps, message);
  if (verdict === 'complete') await cloud.complete?.(instance, action);
  if (verdict !== 'wait') return;
  if (polls % PROLONG_EVERY === 0) await cloud.prolong?.(instance, action);
  const body: ActionMessage = { ...message, polls: polls + 1 };
  await deps.queues.send(CLOUD_NODE_QUEUE.name, [{ body, delaySeconds: EVERY_SECONDS }]);
};
