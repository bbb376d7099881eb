/** Versions of this package: three numbers, as in Semantic Versioning, without pre-releases. */

/** What a release may raise by one. */
const STEPS: readonly string[] = ['major', 'minor', 'patch'];

const FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

const numbersOf = (version: string): readonly number[] => {
  const numbers = FORM.exec(version)?.slice(1).map(Number);
  if (!numbers) throw new Error(`${version}: give a version such as 0.2.0, or one of ${STEPS.join(', ')}`);
  return numbers;
};

const raised = (current: string, step: number): string =>
  numbersOf(current)
    .map((number, place) => (place < step ? number : place === step ? number + 1 : 0))
    .join('.');

const isAbove = (version: string, current: string): boolean => {
  const olds = numbersOf(current);
  const steps = numbersOf(version).map((number, place) => number - (olds[place] ?? 0));
  return (steps.find((step) => step !== 0) ?? 0) > 0;
};

/**
 * The version after `current` that `wanted` names: a version, or the part of it that rises by one. Throws an Error if `wanted` is neither,
 * or if it does not lie above `current`.
 */
export const nextVersion = (current: string, wanted: string): string => {
  const step = STEPS.indexOf(wanted);
  if (step >= 0) return raised(current, step);
  if (!isAbove(wanted, current))
    throw new Error(`${wanted} does not lie above ${current}, the version of now`);
  return wanted;
};
