import { notFound } from '../../kube/errors/status-error.ts';
import type { StatusBeat } from '../../ports/store/commit.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';

/**
 * Stores a heartbeat that arrived as a write of the Node's status: one write. Throws 404 when the Node does not
 * exist.
 */
export const storeStatusBeat = async (
  node: string,
  { uid, beat }: { readonly uid: string; readonly beat: StatusBeat },
  { heartbeats, config }: Pick<HeartbeatServerDeps, 'heartbeats' | 'config'>,
): Promise<void> => {
  const whole = {
    node,
    source: 'status',
    uid,
    ...beat,
    expiresAt: beat.at + config.heartbeatRetentionMs,
  } as const;
  const { outcome } = await heartbeats.beat(whole);
  if (outcome === 'accepted') return;
  // Either the item expired while the Node exists, or the Node is gone.
  const again = await heartbeats.remake(whole);
  if (again.outcome === 'refused') throw notFound({ resource: 'nodes', name: node });
};
