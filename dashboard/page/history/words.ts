/** The words and times of the history. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Episode, Happened } from '../../../shared/rules/history/happened.ts';
import type { SeenNode } from '../../../shared/rules/history/seen-node.ts';
import type { Mark } from '../../../shared/rules/roll-call/node-marks.ts';
import { marksOf } from '../../../shared/rules/roll-call/node-marks.ts';

/** What is said of each thing that happens: of one node, and of several; `mark` gives its colour. */
export const HAPPENED_WORDS: Readonly<Record<Happened, { readonly word: string; readonly mark: Mark }>> = {
  lost: { word: 'became Unknown', mark: 'Unknown' },
  notReady: { word: 'became not ready', mark: 'NotReady' },
  returned: { word: 'ready again', mark: 'ready' },
  becameReady: { word: 'became ready', mark: 'ready' },
  tainted: { word: 'tainted NoExecute', mark: 'tainted' },
  untainted: { word: 'no longer tainted', mark: 'ready' },
  evicted: { word: 'pod evicted', mark: 'tainted' },
  drainAsked: { word: 'to be drained', mark: 'draining' },
  drainEnded: { word: 'no longer drained', mark: 'ready' },
  cordoned: { word: 'cordoned', mark: 'cordoned' },
  uncordoned: { word: 'uncordoned', mark: 'ready' },
  shutdownBegan: { word: 'shutting down', mark: 'shuttingDown' },
  shutdownEnded: { word: 'no longer shutting down', mark: 'ready' },
  joined: { word: 'joined', mark: 'ready' },
  left: { word: 'left', mark: 'neverReported' },
};

/** The mark of a node of the record. It has no lateness. */
export const markOf = (seen: SeenNode): Mark =>
  marksOf({ ...seen, isTainted: seen.noExecute.length > 0, isEvicting: seen.noExecute.length > 0 }, 0, {
    nodeMonitorGracePeriodMs: 1,
  })[0];

const two = (number: number): string => String(number).padStart(2, '0');

/** The time of day, in the time of the browser: `14:02:10`. */
export const timeText = (at: EpochMs): string => {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
};

/** A duration: `45 s`, `12 min`, `1 h 5 min`. */
export const durationText = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const MOST_NAMES = 3;

/** Names, the first ones and how many more. */
export const namesText = (names: readonly string[]): string => {
  const different = [...new Set(names)];
  const more = different.length - MOST_NAMES;
  return more > 0 ? `${different.slice(0, MOST_NAMES).join(', ')} and ${more} more` : different.join(', ');
};

/** An episode in words: `12 nodes became Unknown within 4 s`. */
export const episodeText = ({ what, moments, from, to }: Episode): string => {
  const { word } = HAPPENED_WORDS[what];
  const span = to > from ? ` within ${durationText(to - from)}` : '';
  const count = (members: number, unit: string): string => `${members} ${unit}${members === 1 ? '' : 's'}`;
  if (what === 'evicted') return `${count(moments.length, 'pod')} evicted${span}`;
  const nodes = new Set(moments.map(({ node }) => node)).size;
  const times = moments.length > nodes ? `, ${moments.length} times in all,` : '';
  return moments.length === 1 ? word : `${count(nodes, 'node')} ${word}${times}${span}`;
};
