import type { EpochMs } from '../../kube/values/time.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';

/** When the item of a heartbeat at `at` expires (ms). */
export const heartbeatExpiry = (at: EpochMs, { config }: Pick<HeartbeatServerDeps, 'config'>): EpochMs =>
  at + config.heartbeatRetentionMs;
