/** The verbs of Holds: whoever writes one is told whether it is in force. */
import type { Hold } from '../../kube/types/hold.ts';
import { optional } from '../../kube/values/optional.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { isInForce, isOver } from '../../rules/holds/hold-state.ts';
import { withHoldState } from '../../rules/holds/hold-status.ts';
import { HOLDS, settleHolds } from '../../store/holds/settle-holds.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import type { Verbs } from '../contract/resource.ts';
import { isDryRun } from '../request/options.ts';

/** For so long (ms) a client waits until its Hold is in force. After that the controller goes on. */
const LONGEST_WAIT_MS = 5_000;

/** Whether it ended in time, and without an error: the controller then does the same again. */
const inTime = (deps: ApiServerDeps, work: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    deps.clock.sleep(LONGEST_WAIT_MS).then(() => false),
  ]);

const isOf = (answer: Answer, kind: string): answer is Answer & { readonly body: Hold } =>
  answer.status < 300 &&
  typeof answer.body === 'object' &&
  'kind' in answer.body &&
  answer.body.kind === kind;

/** The Hold as it is now; if it is not in force, what it says is that it is being brought there. */
const asItIs = async (deps: ApiServerDeps, stored: Hold): Promise<Hold> => {
  const row = liveRow(
    await deps.objects.read({ resource: HOLDS, namespace: '', name: stored.metadata.name }),
  );
  const hold: Hold = row && row.uid === stored.metadata.uid ? row.object : stored;
  const now = deps.clock.now();
  return isInForce(hold) || isOver(hold, now)
    ? hold
    : withHoldState(hold, 'Closing', hold.status?.epoch ?? 0, now);
};

const settling =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const answer = await handle(call, deps);
    if (!isOf(answer, 'Hold') || isDryRun(call.request, 'CreateOptions')) return answer;
    await inTime(deps, settleHolds(deps));
    return { ...answer, body: await asItIs(deps, answer.body) };
  };

/** The verbs, of which those that write a Hold bring it into force before they answer. */
export const holdVerbs = ({ create, update, patch, ...others }: Verbs): Verbs => ({
  ...others,
  ...optional('create', create && settling(create)),
  ...optional('update', update && settling(update)),
  ...optional('patch', patch && settling(patch)),
});
