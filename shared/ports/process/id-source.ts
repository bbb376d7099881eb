/** Ids and random numbers, as a port so that a simulation can repeat them from a seed. */
export interface IdSource {
  /** A UUID, for `metadata.uid` and for attempts. */
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}
