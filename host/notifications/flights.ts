/** Deliveries that are under way. */

/** The deliveries of one sink that have not ended. */
export interface Flights {
  /** What they are about. */
  readonly busy: ReadonlySet<string>;
  count(): number;
  launch(subjects: readonly string[], work: Promise<void>): void;
  /** Resolves when all have ended. */
  landed(): Promise<void>;
}

/** `onEnd` is called after each delivery, `onError` before it for one that rejects. */
export const createFlights = (onEnd: () => void, onError: (error: unknown) => void): Flights => {
  const busy = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  return {
    busy,
    count: () => inFlight.size,
    launch: (subjects, work) => {
      for (const subject of subjects) busy.add(subject);
      const flight = work.catch(onError).finally(() => {
        for (const subject of subjects) busy.delete(subject);
        inFlight.delete(flight);
        onEnd();
      });
      inFlight.add(flight);
    },
    landed: async () => {
      await Promise.all(inFlight);
    },
  };
};
