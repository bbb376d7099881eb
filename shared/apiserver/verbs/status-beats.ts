import { notFound } from '../../api/status-error.ts';
import type { StatusBeat } from '../../ports/commit.ts';
import type { HeartbeatServerDeps } from '../deps.ts';

/** Stores a sign of life that came as a status write: one write. Throws 404 when the Node is gone. */
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
  // The item expired while the Node lived on, or the Node is gone.
  const again = await heartbeats.remake(whole);
  if (again.outcome === 'refused') throw notFound({ resource: 'nodes', name: node });
};
