/** Furthest step from one sequence number to the next, so that a hostile relay cannot use all of them up. */
export const MOST_SEQUENCE_STEP = 1_000_000;

/**
 * Whether a batch is newer than the stored one (`undefined`: none). A repeated or late batch is not: its ages would count from the
 * instant at which it was received again.
 */
export const isNextSequence = (sequence: number, stored: number | undefined): boolean =>
  sequence > (stored ?? 0) && sequence <= (stored ?? 0) + MOST_SEQUENCE_STEP;
