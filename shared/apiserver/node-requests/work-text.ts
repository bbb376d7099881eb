/** A node's work as lines of words, for machines that have a shell and no reader of JSON. */
import type { Node, Pod } from '../../kube/types/core.ts';
import { isTerminated } from '../../rules/pods/terminated-pods.ts';
import { claimedPods, type WorkReads } from './work-of-node.ts';

/** Claims of pods that one answer looks at. */
const CLAIMS_PER_TEXT = 500;

const podLine = (pod: Pod): string => {
  const { namespace = '', name, uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const which = `${namespace} ${name} ${uid}`;
  if (deletionTimestamp !== undefined) return `end ${which} ${deletionGracePeriodSeconds ?? 0}`;
  return isTerminated(pod) ? `ended ${which}` : `run ${which}`;
};

const dutyLines = (revision: string, { spec }: Node): readonly string[] => [
  `revision ${revision}`,
  `cordoned ${spec?.unschedulable === true}`,
  ...(spec?.taints ?? []).map(({ effect, key, value }) =>
    ['taint', effect, key, ...(value ? [value] : [])].join(' '),
  ),
];

/** Some pods as lines, and where to go on. */
const readLines = async (deps: WorkReads, node: string, after: string) => {
  const lines: string[] = [];
  let [claims, last] = [0, after];
  for await (const { uid, row } of claimedPods(deps, node, after)) {
    if (claims === CLAIMS_PER_TEXT) return { lines, next: last };
    if (row) lines.push(podLine(row.object as Pod));
    [claims, last] = [claims + 1, uid];
  }
  return { lines };
};

/**
 * One fact a line: `revision N`, `cordoned true|false`, `taint EFFECT KEY [VALUE]`, then a line for each pod: `run NAMESPACE NAME UID`,
 * `end NAMESPACE NAME UID GRACE_SECONDS` for one that is being deleted, `ended NAMESPACE NAME UID` for one that has ended. The last line
 * is `complete`, or `continue TOKEN` if there are more pods; without either, the answer was cut. `token`: that of a place.
 */
export const workText = async (
  deps: WorkReads,
  revision: string,
  node: Node,
  after: string,
  token: (after: string) => string,
): Promise<string> => {
  const { lines, next } = await readLines(deps, node.metadata.name, after);
  const last = next === undefined ? 'complete' : `continue ${token(next)}`;
  return [...dutyLines(revision, node), ...lines, last, ''].join('\n');
};
