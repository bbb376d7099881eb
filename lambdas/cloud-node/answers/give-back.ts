/** Takes the taint `out-of-service` off that followed from a proof, once the node is back and its pods of before are gone. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { readyStatusOf } from '../../../shared/rules/nodes/node-conditions.ts';
import { OUT_OF_SERVICE_TAINT } from '../../../shared/rules/nodes/out-of-service.ts';
import { provenSince, withoutProof } from '../../../shared/rules/nodes/out-of-service-proof.ts';
import { firstTolerating } from '../../../shared/rules/pods/tolerations.ts';
import type { CloudNodeDeps } from '../deps.ts';
import type { BackMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';
import { outOfServiceEnded } from './events.ts';
import { readNodes } from './judged.ts';

/** Seconds until the pods of the node are looked at again. */
const AGAIN_SECONDS = 10;

/** The taint makes it go, and it was there before the taint. */
const isOfBefore = ({ object, facts }: LiveRow, at: EpochMs): boolean => {
  const pod = object as Pod;
  const isTolerant = firstTolerating(pod.spec.tolerations ?? [], OUT_OF_SERVICE_TAINT) !== undefined;
  return (facts.pod?.boundAt ?? 0) <= at && !isTolerant;
};

const isBack = (row: LiveRow): boolean =>
  readyStatusOf(row.object) === 'True' && provenSince(row.object) !== undefined;

const takeOff = async ({ writer, recorder }: CloudNodeDeps, seen: LiveRow): Promise<void> => {
  const since = provenSince(seen.object);
  const { outcome } = await writer.write(
    seen.key,
    (found) => {
      const row = liveRow(found);
      const isSame = row?.uid === seen.uid && isBack(row) && provenSince(row.object) === since;
      return isSame ? { next: withoutProof(row.object), writer: 'controller' } : undefined;
    },
    seen,
  );
  if (outcome !== 'written') return;
  const { name } = seen.key;
  await recorder.record(nodeTarget(name, seen.uid), outOfServiceEnded(name), String(since));
};

/** Looks at a Node that is ready again. While pods of before are left, it looks again. */
export const giveBack = async (deps: CloudNodeDeps, message: BackMessage): Promise<void> => {
  const [row] = await readNodes(deps, [message.name]);
  if (!row || !isBack(row)) return;
  const since = provenSince(row.object) ?? 0;
  const { value: pods } = await deps.objects.podsByNode(message.name);
  if (!pods.some((pod) => isOfBefore(pod, since))) return takeOff(deps, row);
  if (!message.isSwept)
    await deps.queues.send(CLOUD_NODE_QUEUE.name, [{ body: message, delaySeconds: AGAIN_SECONDS }]);
};
