/** How often a host looks whether it was away, and what follows from that for the grace period. */

/** Time between two looks of a host at its clock, ms. */
export const LOOK_MS = 1_000;

/** A host was away if it did not look for this share of the grace period: half of the time between two beats, of which a grace period has four. */
export const UNNOTICED_SHARE = 1 / 8;

/** The shortest grace period, s: with a shorter one a host would be away between any two looks, and might never find a silent node. */
export const LEAST_GRACE_SECONDS = LOOK_MS / UNNOTICED_SHARE / 1_000;
