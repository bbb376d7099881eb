/** The last beats of nodes, by their Leases. */

import type { Lease } from '../../../shared/kube/types/coordination.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { NodeLine } from '../../../shared/rules/roll-call/node-line.ts';
import { lateness } from '../../../shared/rules/roll-call/node-marks.ts';
import { DEFAULTS } from '../../../shared/settings/defaults.ts';
import type { DetailLease } from '../../wire/detail.ts';
import { beatsKnownUntil, deafUntil, type Silence } from './silence.ts';

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

/** What is known of the source of the beats. */
export interface Hearing {
  /** The last instant at which what is known was true, ms. */
  readonly asOf: () => EpochMs;
  /** The silence of the source that ended last. */
  readonly silence: () => Silence | undefined;
}

/** Keeps last beats. */
export const createBeats = ({ asOf, silence }: Hearing) => {
  const beats = new Map<string, Beat>();
  let unseen = new Set<string>();
  let heardAfter = 0;
  let heardAt: EpochMs = 0;
  let judged: Silence | undefined;
  // Each silence is judged once, by the first list after it: later beats say nothing of it.
  const judge = (): void => {
    const last = silence();
    if (!last || last === judged) return;
    judged = last;
    const instants = [...beats.values()].map(({ at }) => at);
    heardAfter = Math.max(heardAfter, deafUntil(instants, last));
  };
  /** The last beat of a ready node, unless it is not known to show anything. */
  const judgedBeat = ({ name, ready }: NodeLine): Beat | undefined => {
    const beat = beats.get(name);
    return beat && ready === 'True' && beat.at >= heardAfter ? beat : undefined;
  };
  const isLateAt = ({ at, graceMs }: Beat, now: EpochMs): boolean =>
    lateness(at, now, { nodeMonitorGracePeriodMs: graceMs }) > 0;
  const isKnownLate = (beat: Beat): boolean =>
    isLateAt(beat, Math.min(asOf(), beatsKnownUntil(heardAt, beat.graceMs)));
  return {
    begin: (): void => {
      unseen = new Set(beats.keys());
    },
    end: (): void => {
      for (const name of unseen) beats.delete(name);
      unseen.clear();
      heardAt = asOf();
      judge();
    },
    drop: ({ metadata }: ApiObject): void => void beats.delete(metadata.name),
    put: (object: ApiObject): void => {
      unseen.delete(object.metadata.name);
      heardAt = asOf();
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
      return beat && isKnownLate(beat) ? beat.at : 0;
    },
    /** Whether a node would be late, had Leases been heard since. */
    isDoubtful: (line: NodeLine): boolean => {
      const beat = judgedBeat(line);
      return beat !== undefined && isLateAt(beat, asOf()) && !isKnownLate(beat);
    },
  };
};

export type Beats = ReturnType<typeof createBeats>;
