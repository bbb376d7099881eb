/** Drains a node whose machine is going to leave. */

import { nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { drainFor, type LeavesWord } from '../../../shared/rules/cloud/notice-drain.ts';
import { isNamedFor } from '../../../shared/rules/cloud/verified-machine.ts';
import type { DrainRequest } from '../../../shared/rules/drain/drain-request.ts';
import { withDrainRequest } from '../../../shared/rules/drain/node-drain.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from '../deps.ts';
import type { ActionMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';
import { FIRST_POLL } from './answer-group.ts';
import { leaving } from './events.ts';
import { isHeeded } from './heeded.ts';
import { readNodes } from './judged.ts';

/** Cordons the node and asks for its drain, in one write. Resolves to whether that was news. */
const request = async (
  { writer }: CloudNodeDeps,
  seen: LiveRow,
  instance: string,
  asked: DrainRequest,
): Promise<boolean> => {
  const { outcome } = await writer.write(
    seen.key,
    (found) => {
      const row = liveRow(found);
      if (row?.uid !== seen.uid || !isNamedFor(row.object, instance)) return undefined;
      const next = withDrainRequest(row.object, asked);
      return next === row.object ? undefined : { next, writer: 'controller' };
    },
    seen,
  );
  return outcome === 'written';
};

/** Before the node is drained, so that no crash can leave a group without an answer. */
const watchAction = async (
  deps: CloudNodeDeps,
  { key, uid }: LiveRow,
  { instance, action, goesAt }: LeavesWord,
): Promise<void> => {
  if (!action) return;
  const until = goesAt ?? deps.clock.now();
  const body: ActionMessage = {
    v: 1,
    kind: 'action',
    name: key.name,
    uid,
    instance,
    action: { ...action },
    until,
    polls: 0,
  };
  await deps.queues.send(CLOUD_NODE_QUEUE.name, [{ body, delaySeconds: FIRST_POLL }]);
};

/** Acts on a notice about the machine for which this Node is named; a Node of this name that has another machine is not concerned. A notice that comes too late does nothing. */
export const leave = async (deps: CloudNodeDeps, word: LeavesWord, name: string): Promise<LookReport> => {
  const [row] = await readNodes(deps, [name]);
  const asked = drainFor(word, deps.clock.now());
  if (!row || !asked || !(await isHeeded(deps, row, word))) return NOTHING;
  await watchAction(deps, row, word);
  const isNews = await request(deps, row, word.instance, asked);
  if (!isNews) return NOTHING;
  const text = leaving(name, word.notice, asked.deadlineAt);
  await deps.recorder.record(nodeTarget(name, row.uid), text, asked.id);
  return { ...NOTHING, drained: 1 };
};
