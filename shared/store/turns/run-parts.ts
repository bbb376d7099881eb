/** A piece of work that goes on although others fail. */
export interface Part {
  /** What failures are named by. */
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failure = (all: number, failed: readonly (readonly [name: string, error: unknown])[]): AggregateError =>
  new AggregateError(
    failed.map(([, error]) => error),
    `${failed.length} of ${all} parts failed: ${failed.map(([name, error]) => `${name}: ${reasonOf(error)}`).join('; ')}`,
  );

/**
 * Runs all parts at the same time and waits for all of them, also if some fail. `onDone` gets the name of each that succeeds. Rejects at the
 * end with an `AggregateError` that names those that failed.
 */
export const runParts = async (
  parts: readonly Part[],
  onDone: (name: string) => void = () => undefined,
): Promise<void> => {
  // A part may throw before it returns a promise.
  const outcomes = await Promise.allSettled(parts.map(async ({ run }) => run()));
  const failed: (readonly [string, unknown])[] = [];
  for (const [index, { name }] of parts.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === 'rejected') failed.push([name, outcome.reason]);
    else onDone(name);
  }
  if (failed.length > 0) throw failure(parts.length, failed);
};
