/**
 * Which nodes a bootstrapper may request a token for: those that never had one, and those that an administrator
 * released.
 */

import {
  TOKEN_EXPIRY_ANNOTATION,
  TOKEN_RELEASED_ANNOTATION,
} from '../../kinds/admission/node-annotations.ts';
import { forbidden } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime } from '../../kube/values/time.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import type { LiveRow } from '../../ports/store/rows.ts';
import { isClaimed } from '../../rules/nodes/node-claim.ts';

/** When the Node's newest token expires or expired (ms); `undefined`: it never had one. */
export const tokenEndOf = ({ metadata }: Node): EpochMs | undefined => {
  const expiry = metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION];
  return expiry === undefined ? undefined : (parseTime(expiry) ?? 0);
};

/** Whether an administrator allowed bootstrappers one more token for this Node. */
export const isReleased = ({ metadata }: Node): boolean =>
  metadata.annotations?.[TOKEN_RELEASED_ANNOTATION] === 'true';

const hadToken = (node: Node, now: EpochMs): string | undefined => {
  const end = tokenEndOf(node);
  const expiry = node.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION];
  return end === undefined ? undefined : `${end > now ? 'has' : 'had'} a token until ${expiry}`;
};

const wasHeard = ({ object, facts, uid }: LiveRow, item: HeartbeatItem | undefined): string | undefined => {
  if (!facts.node) return undefined;
  const beats =
    item?.uid === uid || item?.lease
      ? { observedAt: item.uid === uid ? item.observedAt : undefined, hasLease: item.lease !== undefined }
      : undefined;
  return isClaimed(object, facts.node, beats) ? 'is used by a machine that has other credentials' : undefined;
};

/**
 * Throws 403 if a machine already uses this node's identity. `item`: the heartbeat item of this name. The
 * grant of the token must be conditional on the row and the item being unchanged.
 */
export const checkFirstToken = (row: LiveRow, item: HeartbeatItem | undefined, now: EpochMs): void => {
  const node: Node = row.object;
  if (isReleased(node)) return;
  const why = hadToken(node, now) ?? wasHeard(row, item);
  const { name } = node.metadata;
  if (why !== undefined)
    throw forbidden(
      { resource: 'nodes', name },
      `node "${name}" ${why}; it renews its token itself, or an administrator releases it: rollcall token --release ${name}`,
    );
};
