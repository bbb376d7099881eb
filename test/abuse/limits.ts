/**
 * Milliseconds of the processor for which the host may not listen: 250, and as much again for cores that are shared with
 * others and slower for that.
 */
export const STALL_MS = 500;
