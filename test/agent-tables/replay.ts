/** A recorded table's way into the code: what computes `out` from a row's `in`. */
export type Replay = (given: unknown) => unknown;

/** By the name of the table. */
export type Replays = Readonly<Record<string, Replay>>;

/** The rows of a table are trusted to have the shape that its page says. */
export const replay =
  <Given>(compute: (given: Given) => unknown): Replay =>
  (given) =>
    compute(given as Given);
