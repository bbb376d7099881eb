import type { Beat, BeatOutcome, LeaseOutcome, LeaseWrite } from './heartbeats.ts';

/**
 * The writes of `HeartbeatStore` that keep a node alive, for a store that has its items in memory: done when they return. May throw
 * where the store does; nothing was written then.
 */
export interface BeatsAtOnce {
  beat(given: Beat): BeatOutcome;
  /** The store keeps parts of `write`: nobody may change them afterwards. */
  writeLease(write: LeaseWrite): LeaseOutcome;
}
