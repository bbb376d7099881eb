/** Reads what is stored about a pod, and answers all questions about it. Of other objects only what the caller may read counts. */
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import type {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttachment,
} from '../../kube/types/storage.ts';
import { type LiveRow, liveRow, nodeKey, type Row } from '../../ports/store/rows.ts';
import { attachableOf, needsAttachment } from '../../rules/attachments/attachable.ts';
import { storedName, TOLD, waitForVolume } from '../../rules/attachments/wait-names.ts';
import { boundVolumeOf, claimPathsOf } from '../../rules/attachments/wanted-volumes.ts';
import type { Answer } from '../../rules/explain/explanation.ts';
import { hidden } from '../../rules/explain/hidden.ts';
import { explainPodShutdown, untilShutdownEnds } from '../../rules/explain/node/node-shutdown.ts';
import { explainTaint } from '../../rules/explain/node/node-taint.ts';
import { explainBudget } from '../../rules/explain/pod/pod-budget.ts';
import { explainDeletion } from '../../rules/explain/pod/pod-deletion.ts';
import { explainPodDrain } from '../../rules/explain/pod/pod-drain.ts';
import { explainEviction } from '../../rules/explain/pod/pod-eviction.ts';
import { explainScheduling } from '../../rules/explain/pod/pod-scheduling.ts';
import { explainTopology } from '../../rules/explain/pod/pod-topology.ts';
import { explainVolumes, type KnownVolume } from '../../rules/explain/pod/pod-volumes.ts';
import { detachOf } from './explain-attachments.ts';
import type { ExplainDeps } from './explain-deps.ts';
import {
  attachmentsOfVolumes,
  mayReadAttachments,
  nameOfAttachment,
  readObject,
} from './read-attachments.ts';
import { knownNode, readBeats, readZones, withSite, zoneOfNode } from './read-zone.ts';

/** Most budgets of a namespace that are read. */
const MOST_BUDGETS = 500;

/** Claims of a pod that are looked at, at most. */
const MOST_CLAIMS = 16;

const podOf = ({ object }: LiveRow): Pod => object as Pod;

const evictionOf = async (deps: ExplainDeps, row: LiveRow, node: LiveRow): Promise<Answer | undefined> => {
  const { name } = node.key;
  const { namespace } = row.key;
  const [item, read, [stored]] = await Promise.all([
    readBeats(deps, name),
    readZones(deps),
    deps.control.deadlines([{ namespace, name: row.key.name }]),
  ]);
  const found = knownNode(deps, node, item, read);
  if (!found) return undefined;
  const known = await withSite(deps, found, item);
  const now = deps.clock.now();
  const taint = untilShutdownEnds(
    explainTaint(known, await zoneOfNode(deps, known, read), now),
    node.facts.node,
    now,
  );
  const pod = { tolerations: [], ...row.facts.pod, uid: row.uid, pod: podOf(row), nodeName: name };
  return explainEviction(pod, known, taint, stored, now);
};

const deletionOf = async (deps: ExplainDeps, row: LiveRow, node: Row | undefined): Promise<Answer> => {
  const nodeName = podOf(row).spec.nodeName ?? '';
  const isGone = nodeName !== '' && node?.state !== 'live';
  const seen = isGone ? await deps.control.sighting({ topic: 'absent-node', name: nodeName }) : undefined;
  const of = { node: liveRow(node)?.object, uid: node?.uid ?? '', seen };
  return explainDeletion(podOf(row), of, deps.clock.now());
};

const attachmentOf = async (deps: ExplainDeps, volume: KnownVolume['volume'], nodeName: string) => {
  if (!volume) return {};
  const [attachment, wait] = await Promise.all([
    readObject<VolumeAttachment>(deps, 'volumeattachments', nameOfAttachment(volume, nodeName)),
    deps.control.sighting({ topic: 'volume-wait', name: storedName(nodeName, waitForVolume(volume.name)) }),
  ]);
  return { attachment, elsewhereSince: wait?.uid === TOLD ? wait.since : undefined };
};

const readVolume = async (deps: ExplainDeps, path: string, nodeName: string): Promise<KnownVolume> => {
  const [namespace = '', name = ''] = path.split('/');
  const claim = await readObject<PersistentVolumeClaim>(deps, 'persistentvolumeclaims', name, namespace);
  const bound = boundVolumeOf(claim);
  const stored = await readObject<PersistentVolume>(deps, 'persistentvolumes', bound);
  const attachable = stored && attachableOf(stored);
  const driver = attachable && (await readObject<CSIDriver>(deps, 'csidrivers', attachable.driver));
  const volume = attachable && needsAttachment(driver) ? attachable : undefined;
  return { claim: name, isBound: bound !== '', volume, ...(await attachmentOf(deps, volume, nodeName)) };
};

/** What is known of the claims of a pod with a node. */
const readVolumes = (deps: ExplainDeps, pod: Pod): Promise<readonly KnownVolume[]> => {
  const nodeName = pod.spec.nodeName ?? '';
  const paths = nodeName === '' ? [] : claimPathsOf(pod).slice(0, MOST_CLAIMS);
  return Promise.all(paths.map((path) => readVolume(deps, path, nodeName)));
};

/** What the caller has to be allowed to read for that. */
const mayReadVolumes = async (deps: ExplainDeps, { metadata }: Pod): Promise<boolean> => {
  const claims = { group: '', resource: 'persistentvolumeclaims', name: '' } as const;
  const allowed = await Promise.all([
    deps.mayRead({ ...claims, namespace: metadata.namespace ?? '' }),
    mayReadAttachments(deps),
  ]);
  return allowed.every((one) => one);
};

/** Where the volumes of the pod are, and why those that are at a node do not leave it. */
const volumesOf = async (deps: ExplainDeps, row: LiveRow): Promise<readonly (Answer | undefined)[]> => {
  const pod = podOf(row);
  if (claimPathsOf(pod).length === 0) return [];
  if (!(await mayReadVolumes(deps, pod))) return [hidden('volumes', 'volumes')];
  const volumes = await readVolumes(deps, pod);
  const names = new Set(volumes.flatMap(({ volume }) => volume?.name ?? []));
  return [explainVolumes(pod, volumes), ...detachOf(deps, await attachmentsOfVolumes(deps, names))];
};

const onNode = async (deps: ExplainDeps, row: LiveRow): Promise<readonly (Answer | undefined)[]> => {
  const name = podOf(row).spec.nodeName ?? '';
  if (name === '') return [await deletionOf(deps, row, undefined)];
  if (!(await deps.mayRead({ group: '', resource: 'nodes', namespace: '', name })))
    return [hidden('eviction', `node ${name}`)];
  const node = await deps.objects.read(nodeKey(name));
  const live = liveRow(node);
  return [
    live && (await evictionOf(deps, row, live)),
    live && explainPodShutdown(podOf(row), live.facts.node, deps.clock.now()),
    live && explainPodDrain(podOf(row), live.object, deps.clock.now()),
    ...(await volumesOf(deps, row)),
    await deletionOf(deps, row, node),
  ];
};

const budgetOf = async (deps: ExplainDeps, row: LiveRow): Promise<Answer> => {
  const { namespace } = row.key;
  const kind = { resource: 'poddisruptionbudgets', namespace } as const;
  if (!(await deps.mayRead({ ...kind, group: 'policy', name: '' })))
    return hidden('budget', 'poddisruptionbudgets');
  const { rows } = await deps.objects.page({ ...kind, limit: MOST_BUDGETS });
  return explainBudget(
    podOf(row),
    rows.map(({ object }) => object as PodDisruptionBudget),
  );
};

/** The answers about the pod of this row. */
export const explainPod = async (deps: ExplainDeps, row: LiveRow): Promise<readonly Answer[]> => {
  const scheduling = explainScheduling(podOf(row), row.facts.pod?.boundAt, deps.config.schedulerName);
  const [node, budget] = await Promise.all([onNode(deps, row), budgetOf(deps, row)]);
  const topology = explainTopology(podOf(row));
  return [scheduling, topology, ...node, budget].filter((answer) => answer !== undefined);
};
