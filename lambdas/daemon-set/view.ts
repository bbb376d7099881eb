/** What a look at a DaemonSet reads. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ControllerRevision, Workload } from '../../shared/kube/types/workloads.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import {
  type ClaimedChildren,
  claimChildren,
  controllerReference,
} from '../../shared/rules/workloads/children/children.ts';
import { daemonNodeRule, type NodeVerdict } from '../../shared/rules/workloads/daemon-set/daemon-node.ts';
import { hashOfPod } from '../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { DAEMON_SET_REVISIONS } from '../../shared/rules/workloads/daemon-set/daemon-revisions.ts';
import type { DaemonView } from '../../shared/rules/workloads/daemon-set/daemon-set.ts';
import { podOfSummary } from '../../shared/rules/workloads/daemon-set/daemon-summary.ts';
import {
  type DaemonDecision,
  decideDaemons,
} from '../../shared/rules/workloads/daemon-set/decide-daemons.ts';
import { podsByNode } from '../../shared/rules/workloads/daemon-set/pods-of-node.ts';
import {
  hashOfRevision,
  type RevisionPlan,
  surplusRevisions,
} from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import type { CommitDeps } from '../../shared/store/commit/commit-protocol.ts';
import {
  type DependentsDeps,
  type KnownDependent,
  readDescribed,
  readLive,
  readRows,
} from '../../shared/store/writer/dependents.ts';
import { type RevisionDeps, readRevisions, writesRevisions } from '../owners/owned-revisions.ts';
import type { Named } from '../owners/reconcile-owner.ts';
import { readNodes } from './nodes.ts';

/** Nodes that are judged before other work of the process may run. They take about a millisecond. */
const JUDGED_AT_ONCE = 500;

export interface ViewDeps extends CommitDeps, RevisionDeps, Pick<DependentsDeps, 'pause'> {
  readonly objects: CommitDeps['objects'];
}

/** A DaemonSet, its pods by uid, its revisions, and what to do about them. */
export interface View {
  readonly row: LiveRow;
  readonly rows: ReadonlyMap<string, KnownDependent>;
  readonly claims: ClaimedChildren<Pod>;
  readonly revisions: RevisionPlan;
  /** Old revisions beyond the limit, of which no pods are left. */
  readonly surplus: readonly ControllerRevision[];
  /** `hash` is empty if the present template has no revision yet. */
  readonly daemons: DaemonView;
  readonly decision: DaemonDecision;
}

const podIn = ({ object }: KnownDependent): Pod => object as Pod;

/** The pods of a DaemonSet as the summaries of their edges describe them; a pod without summary is read. */
const readPods = (deps: ViewDeps, owner: Workload): Promise<readonly KnownDependent[]> => {
  const ownerReferences = [controllerReference(owner)];
  return readDescribed(deps, owner.metadata.uid ?? '', 'pods', ({ key, uid, summary }) => {
    const { name, namespace } = key;
    return summary === undefined
      ? undefined
      : podOfSummary({ name, namespace, uid, ownerReferences }, summary);
  });
};

const judgeNodes = async (deps: ViewDeps, owner: Workload): Promise<ReadonlyMap<string, NodeVerdict>> => {
  const rule = daemonNodeRule(owner);
  const verdicts = new Map<string, NodeVerdict>();
  for (const [index, node] of (await readNodes(deps)).entries()) {
    if (index % JUDGED_AT_ONCE === 0) await deps.pause?.();
    verdicts.set(node.metadata.name, rule(node));
  }
  return verdicts;
};

const surplusHistory = (
  owner: Workload,
  { old }: RevisionPlan,
  pods: readonly Pod[],
): readonly ControllerRevision[] => {
  const live = new Set(pods.map(hashOfPod));
  const isLive = (revision: ControllerRevision): boolean =>
    live.has(hashOfRevision(revision, DAEMON_SET_REVISIONS));
  return surplusRevisions(owner, old, isLive, true);
};

const hashIn = ({ current }: RevisionPlan): string =>
  current ? hashOfRevision(current, DAEMON_SET_REVISIONS) : '';

/**
 * Reads the owner first, then its revisions, its pods with the `candidates` for adoption, and the Nodes. `undefined` if the owner is
 * gone or being deleted: its revisions may be gone then, so nothing can be said about its pods.
 */
export const readView = async (
  deps: ViewDeps,
  named: Named,
  candidates: readonly Named[],
): Promise<View | undefined> => {
  const row = await readLive(deps, named);
  if (!row || row.object.metadata.deletionTimestamp !== undefined) return undefined;
  const owner: Workload = row.object;
  const revisions = await readRevisions(deps, owner);
  const own = await readPods(deps, owner);
  const found: readonly KnownDependent[] = [...(await readRows(deps, candidates)), ...own];
  const rows = new Map(found.map((pod) => [pod.uid, pod]));
  const verdicts = await judgeNodes(deps, owner);
  await deps.pause?.();
  const claims = claimChildren(owner, owner.spec?.selector, [...rows.values()].map(podIn));
  const pods = [...claims.keep, ...claims.adopt];
  await deps.pause?.();
  const daemons = { owner, verdicts, pods: podsByNode(pods), hash: hashIn(revisions) };
  const decision = decideDaemons(daemons, deps.clock.now());
  return { row, rows, claims, revisions, surplus: surplusHistory(owner, revisions, pods), daemons, decision };
};

/** Whether the view asks for writes of children. */
export const writesChildren = (view: View | undefined): boolean => {
  if (!view) return false;
  const { claims, revisions, surplus, decision } = view;
  const lists = [
    claims.adopt,
    claims.release,
    decision.create,
    decision.delete,
    surplus,
    revisions.duplicates,
  ];
  return lists.some(({ length }) => length > 0) || writesRevisions(revisions);
};
