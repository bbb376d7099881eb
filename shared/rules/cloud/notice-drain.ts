/** How a node is drained whose machine is going to leave. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type DrainRequest, WHOLE_NODE } from '../drain/drain-request.ts';
import type { CloudWord, NoticeKind } from './cloud-notice.ts';

/** A word that says that a machine is going to leave. */
export type LeavesWord = Extract<CloudWord, { readonly says: 'leaves' }>;

/** Who asks for such a drain. */
export const BY_CLOUD = 'cloud-node';

const MINUTE_MS = 60_000;

/** Milliseconds before the end from which budgets are not asked any more: pods that still run lose their machine in any case. */
const LAST_MS: Readonly<Record<NoticeKind, number>> = {
  spot: MINUTE_MS,
  rebalance: 0,
  maintenance: 10 * MINUTE_MS,
  lifecycle: 10 * MINUTE_MS,
};

/** A notice that arrives this long (ms) after the end that it tells of says nothing any more: the machine is gone, or was spared. */
const STALE_MS = 5 * MINUTE_MS;

const REASONS: Readonly<Record<NoticeKind, string>> = {
  spot: 'the Spot instance is interrupted',
  rebalance: 'the Spot instance has an elevated risk of interruption',
  maintenance: 'maintenance of the instance is scheduled',
  lifecycle: 'the Auto Scaling group ends the instance',
};

/** A recommendation may come to nothing, so pods stay that nobody would make again. */
const optionsOf = (notice: NoticeKind): Partial<typeof WHOLE_NODE> => {
  const { force: _, ...cautious } = WHOLE_NODE;
  return notice === 'rebalance' ? cautious : WHOLE_NODE;
};

const instantsOf = (
  notice: NoticeKind,
  goesAt: EpochMs | undefined,
  now: EpochMs,
): Pick<DrainRequest, 'deadlineAt' | 'deleteAt'> =>
  goesAt === undefined || goesAt <= now
    ? {}
    : { deadlineAt: goesAt, deleteAt: Math.max(now, goesAt - LAST_MS[notice]) };

/** The request that follows from a notice at `now` (ms); `undefined` if the notice comes too late. */
export const drainFor = ({ notice, id, goesAt }: LeavesWord, now: EpochMs): DrainRequest | undefined => {
  const isOver = goesAt !== undefined && now - goesAt > STALE_MS;
  // Maintenance that has begun, and is not closed, goes on until somebody has restarted or replaced the instance.
  if (isOver && notice !== 'maintenance') return undefined;
  return {
    id: `${notice}-${id}`,
    requestedAt: now,
    by: BY_CLOUD,
    reason: REASONS[notice],
    ...optionsOf(notice),
    ...instantsOf(notice, goesAt, now),
  };
};

/** Why the node is drained, for people. */
export const noticeText = (notice: NoticeKind): string => REASONS[notice];
