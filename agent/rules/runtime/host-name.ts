/** Longest name of a machine. */
const LONGEST_NAME = 64;

/** The name that the kernel takes. */
export const hostName = (name: string): string => name.slice(0, LONGEST_NAME);
