/** Whether a provider that does not know a machine is believed. */

/** The answer about the machine of one Node. */
export interface Testimony {
  /** The Node is ready, so its machine exists. */
  readonly isReady: boolean;
  /** The provider knows the machine, in whatever state. */
  readonly isKnown: boolean;
}

const count = (all: readonly Testimony[], wanted: Testimony): number =>
  all.filter(({ isReady, isKnown }) => isReady === wanted.isReady && isKnown === wanted.isKnown).length;

/**
 * Whether "not found" is believed. A provider with credentials of another account or region knows no machine at all; one that misses more
 * machines of ready Nodes than it knows contradicts itself.
 */
export const isTrusted = (answers: readonly Testimony[]): boolean => {
  const missed = count(answers, { isReady: true, isKnown: false });
  const known = count(answers, { isReady: true, isKnown: true });
  return answers.some(({ isKnown }) => isKnown) && missed <= known;
};
