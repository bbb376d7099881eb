/** Which controllers a host runs, as a list of words. Kubernetes: `--controllers`. */

/** The whole list: `all` is the same as `*`. */
const WHOLE: readonly unknown[] = ['all', 'none'];

const WORD = /^(\*|-?[a-z]+(-[a-z]+)*)$/;

const wordsOf = (list: string): readonly string[] => {
  if (list === 'none') return [];
  return list === 'all' ? ['*'] : list.split(',').map((word) => word.trim());
};

/** Whether the value is a list of words. Whether there are controllers of these names is another question. */
export const isControllerList = (given: unknown): given is string =>
  WHOLE.includes(given) ||
  (typeof given === 'string' &&
    wordsOf(given).every((word) => WORD.test(word) && !WHOLE.includes(word.replace(/^-/, ''))));

/** The words that are no name of a controller. */
export const unknownControllers = (list: string, names: readonly string[]): readonly string[] =>
  wordsOf(list).filter((word) => word !== '*' && !names.includes(word.replace(/^-/, '')));

/**
 * Whether a controller runs: `*` stands for all of them, `NAME` for one, and `-NAME` takes one away. Source: kubernetes v1.34
 * controller-manager `IsControllerEnabled`.
 */
export const isListed = (list: string, name: string): boolean => {
  const words = wordsOf(list);
  return !words.includes(`-${name}`) && (words.includes(name) || words.includes('*'));
};
