/** Reads what is stored about a node, and answers all questions about it. */
import type { Node, Pod } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { LiveRow } from '../../ports/store/rows.ts';
import { isManaged } from '../../rules/attachments/attachable.ts';
import { claimedKey } from '../../rules/cloud/instance.ts';
import type { Answer } from '../../rules/explain/explanation.ts';
import { hidden } from '../../rules/explain/hidden.ts';
import { explainCloud } from '../../rules/explain/node/node-cloud.ts';
import { explainNodeDeletion } from '../../rules/explain/node/node-deletion.ts';
import { explainNodeDrain } from '../../rules/explain/node/node-drain.ts';
import { explainHealth } from '../../rules/explain/node/node-health.ts';
import { explainNodeMaintenance, explainSaidShutdown } from '../../rules/explain/node/node-maintenance.ts';
import { explainPlacing } from '../../rules/explain/node/node-placing.ts';
import { explainService } from '../../rules/explain/node/node-service.ts';
import { explainNodeShutdown, untilShutdownEnds } from '../../rules/explain/node/node-shutdown.ts';
import { explainTaint } from '../../rules/explain/node/node-taint.ts';
import { shutdownAt } from '../../rules/shutdown/shutdown-facts.ts';
import { detachOf } from './explain-attachments.ts';
import type { ExplainDeps } from './explain-deps.ts';
import { attachmentsOfNode, mayReadAttachments } from './read-attachments.ts';
import { knownNode, readBeats, readZones, withSite, zoneOfNode } from './read-zone.ts';

/** Since when the cloud speaks of the machine of this Node. */
const machineSince = async ({ control }: ExplainDeps, node: Node): Promise<EpochMs | undefined> => {
  const machine = claimedKey(node);
  const seen = machine === '' ? undefined : await control.sighting({ topic: 'instance', name: machine });
  return seen?.uid === node.metadata.name ? seen.since : undefined;
};

const volumesOf = async (deps: ExplainDeps, node: Node): Promise<readonly Answer[]> => {
  if (!isManaged(node)) return [];
  if (!(await mayReadAttachments(deps))) return [hidden('detach', 'volumes')];
  return detachOf(deps, await attachmentsOfNode(deps, node));
};

const shutdownOf = async (
  deps: ExplainDeps,
  { key: { name }, facts, object }: LiveRow,
): Promise<Answer | undefined> => {
  if (!shutdownAt(facts.node, deps.clock.now())) return explainSaidShutdown(object);
  const mayRead = await deps.mayRead({ group: '', resource: 'pods', namespace: '', name: '' });
  const pods = mayRead ? (await deps.objects.podsByNode(name)).value : [];
  const shown = mayRead ? pods.map(({ object }) => object as Pod) : 'hidden';
  return explainNodeShutdown(facts.node, shown, deps.clock.now());
};

/** The answers about the node of this row. */
export const explainNode = async (deps: ExplainDeps, row: LiveRow): Promise<readonly Answer[]> => {
  const [item, read] = await Promise.all([readBeats(deps, row.key.name), readZones(deps)]);
  const stored = knownNode(deps, row, item, read);
  if (!stored) return [];
  const known = await withSite(deps, stored, item);
  const zone = await zoneOfNode(deps, known, read);
  const now = deps.clock.now();
  const heardAt = known.beats && item?.observedAt;
  return [
    explainHealth(known, now),
    await shutdownOf(deps, row),
    untilShutdownEnds(explainTaint(known, zone, now), row.facts.node, now),
    explainPlacing(known),
    explainNodeMaintenance(known.node),
    explainNodeDrain(known.node, now),
    explainService(known, heardAt, now),
    explainCloud(known.node, await machineSince(deps, known.node)),
    ...(await volumesOf(deps, known.node)),
    explainNodeDeletion(known.node),
  ].filter((answer) => answer !== undefined);
};
