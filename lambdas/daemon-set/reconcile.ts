import type { Node } from '../../shared/kube/types/core.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import type { OwnerMessage } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../shared/ports/store/rows.ts';
import { daemonNodeRule, mayMatterTo } from '../../shared/rules/workloads/daemon-set/daemon-node.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import { readRows } from '../../shared/store/writer/dependents.ts';
import { createOwnerReconcile, type OwnerReconcileDeps } from '../owners/reconcile-owner.ts';
import { type LookDeps, type LookReport, look } from './look.ts';
import type { DaemonSetMessage, NodesMessage } from './message.ts';
import { DAEMON_SET_QUEUE } from './queue.ts';

/** What a message needs. */
export type DaemonSetDeps = LookDeps & OwnerReconcileDeps;

/** What the looks of one message did. */
export type DaemonSetReport = readonly LookReport[];

/** What finding them needs. */
interface InterestedDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'page'>;
  readonly queues: WorkQueues;
}

const reconcileOwner = createOwnerReconcile<DaemonSetDeps, LookReport>({
  owners: 'daemonsets',
  children: 'pods',
  readsSummaries: true,
  queue: DAEMON_SET_QUEUE.name,
  look,
});

const wantsOneOf = (owner: Workload, added: readonly Node[]): boolean => {
  const rule = daemonNodeRule(owner);
  return added.some((node) => rule(node).shouldContinue);
};

/** Queues the DaemonSets to which the news may matter (W-110). */
const queueInterested = async (
  { objects, queues }: InterestedDeps,
  { added, isGone, labels, taints }: NodesMessage,
): Promise<void> => {
  const rows = await readRows(
    { objects },
    added.map((name) => ({ key: nodeKey(name) })),
  );
  const nodes = rows.map(({ object }) => object as Node);
  const messages: { readonly body: OwnerMessage }[] = [];
  for await (const { object, key, uid } of rowsIn(objects, 'daemonsets', '')) {
    if (!isGone && !mayMatterTo(object, { labels, taints }) && !wantsOneOf(object, nodes)) continue;
    messages.push({ body: { v: 1, kind: 'owner', namespace: key.namespace, name: key.name, uid } });
  }
  if (messages.length > 0) await queues.send(DAEMON_SET_QUEUE.name, messages);
};

/** Brings the pods of a DaemonSet to its nodes and keeps its status, finds an owner for a pod, or DaemonSets for news about Nodes. */
export const reconcile = async (deps: DaemonSetDeps, message: DaemonSetMessage): Promise<DaemonSetReport> => {
  if (message.kind !== 'nodes') return reconcileOwner(deps, message);
  await queueInterested(deps, message);
  return [];
};
