/** The last beats of nodes, by their Leases. */
import type { Lease } from '../../shared/api/coordination.ts';
import type { ApiObject } from '../../shared/api/meta.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import type { NodeLine } from '../../shared/domain/roll-call/node-line.ts';
import { lateness } from '../../shared/domain/roll-call/node-marks.ts';

interface Beat {
  readonly at: EpochMs;
  readonly graceMs: number;
}

/** The grace period of a node without a Lease. Source: kube-controller-manager's node-monitor-grace-period. */
const GRACE_MS = 40_000;

/** Keeps last beats. `now`: the server's clock. */
export const createBeats = (now: () => EpochMs) => {
  const beats = new Map<string, Beat>();
  return {
    clear: (): void => beats.clear(),
    drop: ({ metadata }: ApiObject): void => void beats.delete(metadata.name),
    /** The version of a Lease is the instant at which the control plane received its last renewal, ms. */
    put: (object: ApiObject): void => {
      const { metadata, spec } = object as Lease;
      const seconds = spec?.leaseDurationSeconds;
      const graceMs = seconds === undefined ? GRACE_MS : seconds * 1000;
      beats.set(metadata.name, { at: Number(metadata.resourceVersion), graceMs });
    },
    /** How long a node may be silent, ms. A Lease says so for those that renew it. */
    graceOf: (name: string): number => beats.get(name)?.graceMs ?? GRACE_MS,
    /** When the last beat of a ready node came, if it is late; else 0. */
    silentSince: ({ name, ready }: NodeLine): EpochMs => {
      const beat = beats.get(name);
      if (!beat || ready !== 'True') return 0;
      return lateness(beat.at, now(), { nodeMonitorGracePeriodMs: beat.graceMs }) > 0 ? beat.at : 0;
    },
  };
};

export type Beats = ReturnType<typeof createBeats>;
