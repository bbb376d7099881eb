/** Numbers of pods in words. */
import type { Fate, PodFate } from './pod-fate.ts';

const WORDS: Readonly<Record<Fate, readonly [one: string, many: string]>> = {
  goes: ['goes at once', 'go at once'],
  later: ['goes later', 'go later'],
  inTurn: ['goes in turn', 'go in turn'],
  held: ['is held', 'are held'],
  ending: ['is going already', 'are going already'],
  stays: ['stays', 'stay'],
};

/** `1 pod`, `3 pods`. */
export const podsText = (count: number): string => (count === 1 ? '1 pod' : `${count} pods`);

/** Pods with what they do: `1 pod stays`, `3 pods stay`. */
export const podsThat = (count: number, one: string, many: string): string =>
  `${podsText(count)} ${count === 1 ? one : many}`;

/** How many pods have which fate: `Of 5 pods 3 go at once, 2 stay.` */
export const countsText = (pods: readonly PodFate[]): string => {
  const [first] = pods;
  if (!first) return 'It has no pods.';
  const counts = (Object.keys(WORDS) as Fate[]).flatMap((fate) => {
    const count = pods.filter((pod) => pod.fate === fate).length;
    return count === 0 ? [] : [`${count} ${WORDS[fate][count === 1 ? 0 : 1]}`];
  });
  if (counts.length > 1) return `Of ${podsText(pods.length)} ${counts.join(', ')}.`;
  const [one, many] = WORDS[first.fate];
  return pods.length === 1 ? `Its only pod ${one}.` : `All ${podsText(pods.length)} ${many}.`;
};

/** Names that are told one by one. */
const MOST_NAMED = 5;

/** The first names, and how many more there are. */
export const namedText = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
