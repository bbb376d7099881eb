/** What a check of `rollcall doctor` says. */

export type Status = 'ok' | 'warn' | 'fail';

/** One line of the report. */
export interface Verdict {
  readonly check: string;
  readonly status: Status;
  /** What was found. It never holds a secret. */
  readonly words: string;
  /** What to do; with `warn` and `fail`. */
  readonly remedy?: string;
}

/** The verdicts of one check. */
export const verdictsOf = (check: string) => ({
  ok: (words: string): Verdict => ({ check, status: 'ok', words }),
  warn: (words: string, remedy: string): Verdict => ({ check, status: 'warn', words, remedy }),
  fail: (words: string, remedy: string): Verdict => ({ check, status: 'fail', words, remedy }),
});
