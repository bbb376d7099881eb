/** Batches of relays that were stored by a clock that was ahead: they count as of now, and silence counts from there. */
import type { EpochMs } from '../../shared/api/time.ts';
import { takeBackReceipt } from '../../shared/domain/relays/relayed-beats.ts';
import type { HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { HEARTBEAT_RETENTION_MS } from '../../shared/state/object-writer.ts';
import type { StoredPart } from '../../shared/state/relayed-items.ts';

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
  const ahead = parts.flatMap(({ part, beats }) => {
    const next = beats && takeBackReceipt(beats, now);
    return beats && next ? [{ part, read: beats.sequence, next }] : [];
  });
  const outcomes = await inParallel(ahead, config.writeConcurrency, ({ part, read, next }) =>
    heartbeats.replaceRelayed(part, read, next, now + HEARTBEAT_RETENTION_MS),
  );
  return outcomes.filter((isTakenBack) => isTakenBack).length;
};
