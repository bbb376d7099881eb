/**
 * Rules for port numbers and names. Source: apimachinery v1.34 `util/validation` `IsValidPortName`, `IsValidPortNum`.
 */

/** Faults of `port` as a port number. */
export const portNumberFaults = (port: number): readonly string[] =>
  port >= 1 && port <= 65_535 ? [] : ['must be between 1 and 65535, inclusive'];

/** Faults of `name` as a port name (at most 15 characters). */
export const portNameFaults = (name: string): readonly string[] => [
  ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
  ...(/^[-a-z0-9]+$/.test(name)
    ? []
    : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
  ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
];
