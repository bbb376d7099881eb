/** A node's work as lines of words, for machines that have a shell and no reader of JSON. */
import type { Node, Pod } from '../../api/core.ts';
import { isTerminated } from '../../domain/pods/terminated-pods.ts';

const podLine = (pod: Pod): string => {
  const { namespace = '', name, uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const which = `${namespace} ${name} ${uid}`;
  if (deletionTimestamp !== undefined) return `end ${which} ${deletionGracePeriodSeconds ?? 0}`;
  return isTerminated(pod) ? `ended ${which}` : `run ${which}`;
};

/**
 * One fact a line: `revision N`, `cordoned true|false`, `taint EFFECT KEY [VALUE]`, then a line for each pod: `run NAMESPACE NAME UID`,
 * `end NAMESPACE NAME UID GRACE_SECONDS` for one that is being deleted, `ended NAMESPACE NAME UID` for one that has ended. The last line
 * is `complete`: without it, the answer was cut.
 */
export const workText = (revision: string, node: Node, pods: readonly Pod[]): string =>
  [
    `revision ${revision}`,
    `cordoned ${node.spec?.unschedulable === true}`,
    ...(node.spec?.taints ?? []).map(({ effect, key, value }) =>
      ['taint', effect, key, ...(value ? [value] : [])].join(' '),
    ),
    ...pods.map(podLine),
    'complete',
    '',
  ].join('\n');
