/** The revision that the pods of a DaemonSet should have. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ControllerRevision } from '../../shared/kube/types/workloads.ts';
import { HASH_LABEL, hashOfPod } from '../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { DAEMON_SET_REVISIONS } from '../../shared/rules/workloads/daemon-set/daemon-revisions.ts';
import { hashOfRevision } from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import { type ChildDeps, type ChildWrite, changeChild } from '../owners/children.ts';
import { rowsOf } from '../owners/claims.ts';
import {
  deleteRevisions,
  type KeptRevision,
  keepRevision,
  type RevisionDeps,
} from '../owners/owned-revisions.ts';
import type { View } from './view.ts';

/** The service account of the controller. */
export const ACCOUNT = 'daemon-set-controller';

type HistoryDeps = ChildDeps & RevisionDeps;

const labelled = (pod: Pod, hash: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [HASH_LABEL]: hash } },
});

const podsOf = ({ claims: { keep, adopt } }: View): readonly Pod[] => [...keep, ...adopt];

const hashOf = (revision: ControllerRevision): string => hashOfRevision(revision, DAEMON_SET_REVISIONS);

/** Pods of another revision with the same template get the hash of the one that stays; then the others are deleted. */
const removeDuplicates = async (
  deps: HistoryDeps,
  view: View,
  hash: string,
  write: ChildWrite,
): Promise<void> => {
  const { duplicates } = view.revisions;
  const hashes = new Set(duplicates.map(hashOf));
  const pods = podsOf(view).filter((pod) => hashes.has(hashOfPod(pod)));
  for (const row of rowsOf(view.rows, pods))
    await changeChild(deps, row, (pod: Pod) => labelled(pod, hash), write);
  await deleteRevisions(deps, duplicates, write);
};

/** Brings the revisions in order. Throws `TurnLost`. */
export const keepHistory = async (
  deps: HistoryDeps,
  view: View,
  write: ChildWrite,
): Promise<KeptRevision> => {
  const { row, revisions, daemons } = view;
  const { owner } = daemons;
  const writing = { row, owner, account: ACCOUNT, naming: DAEMON_SET_REVISIONS, write } as const;
  const kept = await keepRevision(deps, revisions, writing);
  if (revisions.duplicates.length > 0) await removeDuplicates(deps, view, hashOf(kept.revision), write);
  return kept;
};
