/** The last beats of nodes, by their Leases. */

import type { Lease } from '../../../shared/kube/types/coordination.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { NodeLine } from '../../../shared/rules/roll-call/node-line.ts';
import { lateness } from '../../../shared/rules/roll-call/node-marks.ts';
import { DEFAULTS } from '../../../shared/settings/defaults.ts';
import type { DetailLease } from '../../wire/detail.ts';
import { createLeaseHearing, type Hearing } from './silence.ts';

interface Beat {
  readonly at: EpochMs;
  readonly graceMs: number;
  /** Who renews the Lease, if it is not the node. */
  readonly holder?: string;
}

/** The grace period of a node without a Lease. */
const { nodeMonitorGracePeriodMs: GRACE_MS } = DEFAULTS.nodeLifecycle;

const holderOf = ({ metadata, spec }: Lease): Pick<Beat, 'holder'> =>
  optional('holder', spec?.holderIdentity === metadata.name ? undefined : (spec?.holderIdentity ?? ''));

/** The version of a Lease is the instant at which the control plane received its last renewal, ms. */
const beatOf = (lease: Lease): Beat => {
  const seconds = lease.spec?.leaseDurationSeconds;
  const graceMs = seconds === undefined ? GRACE_MS : seconds * 1000;
  return { at: Number(lease.metadata.resourceVersion), graceMs, ...holderOf(lease) };
};

const leaseText = (name: string, { at, graceMs, holder }: Beat, isLive: boolean): DetailLease => ({
  holder: holder ?? name,
  renewedAt: at,
  durationMs: graceMs,
  isLive,
});

/** A Lease that was read, for people. */
export const readLease = (lease: Lease): DetailLease => leaseText(lease.metadata.name, beatOf(lease), false);

/** Keeps last beats. */
export const createBeats = (source: Hearing) => {
  const { asOf } = source;
  const hearing = createLeaseHearing(source);
  const beats = new Map<string, Beat>();
  let unseen = new Set<string>();
  /** The last beat of a ready node, unless it is not known to show anything. */
  const judgedBeat = ({ name, ready }: NodeLine): Beat | undefined => {
    const beat = beats.get(name);
    return beat && ready === 'True' && hearing.shows(beat.at) ? beat : undefined;
  };
  const isLateAt = ({ at, graceMs }: Beat, now: EpochMs): boolean =>
    lateness(at, now, { nodeMonitorGracePeriodMs: graceMs }) > 0;
  const knownUntil = ({ graceMs }: Beat): EpochMs => hearing.knownUntil(graceMs, asOf());
  return {
    begin: (): void => {
      unseen = new Set(beats.keys());
    },
    end: (): void => {
      for (const name of unseen) beats.delete(name);
      unseen.clear();
      hearing.whole([...beats.values()].map(({ at }) => at));
    },
    drop: ({ metadata }: ApiObject): void => void beats.delete(metadata.name),
    put: (object: ApiObject): void => {
      unseen.delete(object.metadata.name);
      hearing.heard();
      beats.set(object.metadata.name, beatOf(object));
    },
    /** The Lease of a node, for people; `null`: it has none. */
    leaseOf: (name: string): DetailLease | null => {
      const beat = beats.get(name);
      return beat ? leaseText(name, beat, true) : null;
    },
    /** How long a node may be silent, ms. A Lease says so for those that renew it. */
    graceOf: (name: string): number => beats.get(name)?.graceMs ?? GRACE_MS,
    /** When the last beat of a ready node came, if it is known to be late; else 0. */
    silentSince: (line: NodeLine): EpochMs => {
      const beat = judgedBeat(line);
      return beat && isLateAt(beat, knownUntil(beat)) ? beat.at : 0;
    },
    /** Whether a node is late if no beat was missed, and no Lease was heard for so long that its beats may have been missed. */
    isDoubtful: (line: NodeLine): boolean => {
      const beat = judgedBeat(line);
      return beat !== undefined && isLateAt(beat, asOf()) && knownUntil(beat) < asOf();
    },
  };
};

export type Beats = ReturnType<typeof createBeats>;
