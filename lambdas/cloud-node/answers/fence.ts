/** Asks the fencing service to switch off the machine of a node that is down. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { nextLookSeconds } from '../../../shared/rules/cloud/cloud-step.ts';
import { verifiedMachine } from '../../../shared/rules/cloud/verified-machine.ts';
import { targetOf } from '../../../shared/rules/holds/held-by.ts';
import {
  downSince,
  wantsProof,
  withFencingIntent,
} from '../../../shared/rules/nodes/out-of-service-proof.ts';
import { delayPast } from '../../../shared/rules/wake-up.ts';
import { inTurn } from '../../../shared/store/turns/owner-turns.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from '../deps.ts';
import type { ProofMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';
import { readNodes } from './judged.ts';

/** When the node went down, RFC 3339; `now` if that is not known. */
export const sinceText = ({ object }: LiveRow, now: EpochMs): string =>
  new Date(downSince(object) ?? now).toISOString();

const again = async (deps: CloudNodeDeps, message: ProofMessage, delaySeconds: number): Promise<void> => {
  // Each sweep would begin another row of requests.
  if (message.isSwept) return;
  const body: ProofMessage = { ...message, tries: (message.tries ?? 0) + 1 };
  await deps.queues.send(CLOUD_NODE_QUEUE.name, [{ body, delaySeconds }]);
};

const keyOf = (row: LiveRow, now: EpochMs): string => `${row.uid}/${sinceText(row, now)}`;

/** Before each call, so that none begins once a hold is in force. `false`: a hold stops it, or the Node has changed, which sends a message. */
const commitIntent = async ({ writer, clock }: CloudNodeDeps, seen: LiveRow): Promise<boolean> => {
  const { outcome } = await writer.destroy(
    seen.key,
    (found, now) => {
      const row = liveRow(found);
      if (row?.uid !== seen.uid || downSince(row.object) !== downSince(seen.object)) return undefined;
      const change = withFencingIntent(row.object, keyOf(seen, clock.now()), now);
      return { ...change, stops: 'Fencing', node: targetOf(row.object), writer: 'controller' };
    },
    seen,
  );
  return outcome === 'written';
};

/** Whether the fencing service says that the machine is off. If it fails or is not done, it is asked again. */
const ask = async (
  deps: CloudNodeDeps,
  row: LiveRow,
  message: ProofMessage,
): Promise<boolean | LookReport> => {
  const now = deps.clock.now();
  if (!(await commitIntent(deps, row))) return NOTHING;
  const request = { node: row.key.name, uid: row.uid, providerId: verifiedMachine(row.object) };
  const outage = { notReadySince: sinceText(row, now), key: keyOf(row, now) };
  try {
    const isOff = await deps.fencing?.fence({ ...request, ...outage });
    if (isOff !== true) await again(deps, message, nextLookSeconds(message.tries ?? 0));
    return isOff === true;
  } catch (error) {
    await again(deps, message, nextLookSeconds(message.tries ?? 0));
    return { ...NOTHING, unfenced: 1, error };
  }
};

/** The Node as it is in this turn, if it is still down since the same instant and wants a proof: the turn before may have tainted it. */
const readAgain = async (deps: CloudNodeDeps, seen: LiveRow): Promise<LiveRow | undefined> => {
  const [row] = await readNodes(deps, [seen.key.name]);
  const isSame = row?.uid === seen.uid && downSince(row.object) === downSince(seen.object);
  return isSame && wantsProof(row.object, deps.config.outOfService.policy) ? row : undefined;
};

/**
 * Asks the service from `from` (ms) on, and calls `onOff` if it says that the machine is off. Messages about one outage meet: the service
 * is asked once at a time with the key of the outage, and not again because another message came meanwhile.
 */
export const fence = async (
  deps: CloudNodeDeps,
  seen: LiveRow,
  message: ProofMessage,
  from: EpochMs,
  onOff: (row: LiveRow) => Promise<LookReport>,
): Promise<LookReport> => {
  const now = deps.clock.now();
  if (now < from) {
    await again(deps, message, delayPast(from, now));
    return NOTHING;
  }
  const look = async (): Promise<LookReport> => {
    const row = await readAgain(deps, seen);
    const answer = row && (await ask(deps, row, message));
    if (typeof answer === 'object') return answer;
    return row && answer ? onOff(row) : NOTHING;
  };
  let looked: Promise<LookReport> | undefined;
  const turn = await inTurn(deps, `fencing/${keyOf(seen, now)}`, () => (looked ??= look()), {
    isChecked: false,
  });
  if (turn.outcome === 'done') return turn.results[0] ?? NOTHING;
  if (turn.isFirst) await again(deps, message, delayPast(now + turn.afterMs, now));
  return NOTHING;
};
