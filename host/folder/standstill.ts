/** At the end of a stop the work of controllers stands still where it is, as if the process had been killed there. */

/** What stops work that would go on for minutes. */
export interface Standstill {
  /** From now on nothing that is held begins. */
  begin(): void;
  /**
   * The same work, until `begin`; afterwards it never begins, and its promise never settles. So nobody takes it for a failure, logs it or tries it
   * again.
   */
  hold<A extends readonly unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R>;
}

export const createStandstill = (): Standstill => {
  let hasBegun = false;
  return {
    begin: () => {
      hasBegun = true;
    },
    hold:
      (work) =>
      (...args) =>
        hasBegun ? new Promise(() => undefined) : work(...args),
  };
};

/** Nothing ever stands still. */
export const NO_STANDSTILL: Standstill = { begin: () => undefined, hold: (work) => work };
