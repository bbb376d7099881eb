/** Batches of relays that were stored by a clock that was ahead: they count as of now, and silence counts from there. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import { takeBackReceipt } from '../../../shared/rules/relays/relayed-beats.ts';
import { NO_ROSTER, relayExpiry } from '../../../shared/rules/relays/roster.ts';
import type { StoredPart } from '../../../shared/store/beats/relayed-items.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';

export interface TakeBackReceiptsDeps {
  readonly heartbeats: Pick<HeartbeatStore, 'replaceRelayed'>;
  readonly config: { readonly writeConcurrency: number };
}

/** Takes back what was received ahead of the clock, unless a later batch has come. Returns how many parts. Throws if a write fails. */
export const takeBackReceipts = async (
  { heartbeats, config }: TakeBackReceiptsDeps,
  parts: readonly StoredPart[],
  now: EpochMs,
): Promise<number> => {
  const ahead = parts.flatMap(({ part, roster = NO_ROSTER, beats }) => {
    const next = beats && takeBackReceipt(beats, now);
    return beats && next ? [{ part, read: beats.sequence, next, expiresAt: relayExpiry(roster, now) }] : [];
  });
  const outcomes = await inParallel(ahead, config.writeConcurrency, ({ part, read, next, expiresAt }) =>
    heartbeats.replaceRelayed(part, read, next, expiresAt),
  );
  return outcomes.filter((isTakenBack) => isTakenBack).length;
};
