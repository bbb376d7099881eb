/** Milliseconds of the processor for which the host may not listen: beats wait for so long. */
export const STALL_MS = 250;
