import type { EpochMs } from '../../api/time.ts';
import type { HeartbeatServerDeps } from '../deps.ts';

/** When a heartbeat item that is beaten at `at` expires. */
export const heartbeatExpiry = (at: EpochMs, { config }: Pick<HeartbeatServerDeps, 'config'>): EpochMs =>
  at + config.heartbeatRetentionMs;
