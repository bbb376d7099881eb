/** Finds what a lost message left. */
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { isAttached, isManaged, uniqueNameOf } from '../../shared/rules/attachments/attachable.ts';
import { volumesAttachedOf } from '../../shared/rules/attachments/volumes-attached.ts';
import { boundVolumeOf, claimPathsOf, wantsVolumes } from '../../shared/rules/attachments/wanted-volumes.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import { type AttachDetachDeps, attachmentName } from './deps.ts';
import { follow, type KnownAttachments } from './known-attachments.ts';
import { ATTACH_DETACH_QUEUE } from './queue.ts';
import { nodesWithWaits } from './waits.ts';

/** What a sweep found. */
export interface SweepReport {
  readonly attachments: number;
  /** Nodes that are looked at. */
  readonly nodes: number;
}

/** `namespace/name` of each claim that pods want at a node, and that node. */
const wantedClaims = async ({
  objects,
}: AttachDetachDeps): Promise<readonly (readonly [string, string])[]> => {
  const wanted: (readonly [string, string])[] = [];
  for await (const { object } of rowsIn(objects, 'pods', '')) {
    const pod = object as Pod;
    if (!wantsVolumes(pod)) continue;
    for (const path of claimPathsOf(pod)) wanted.push([path, pod.spec.nodeName ?? '']);
  }
  return wanted;
};

/** Nodes with a volume that nobody wants, or without one that is wanted. */
const nodesWithGaps = async (deps: AttachDetachDeps, known: KnownAttachments): Promise<readonly string[]> => {
  const names = new Map<string, string>();
  const missing = new Set<string>();
  const byPath = new Map<string, string>();
  for await (const { key, object } of rowsIn(deps.objects, 'persistentvolumeclaims', ''))
    byPath.set(`${key.namespace}/${key.name}`, boundVolumeOf(object));
  for (const name of known.names()) names.set(name, known.attachment(name)?.spec?.nodeName ?? '');
  for (const [path, nodeName] of await wantedClaims(deps)) {
    const volume = known.volume(byPath.get(path) ?? '');
    const name = volume && attachmentName(volume, nodeName);
    if (name !== undefined && !names.delete(name) && !known.attachment(name)) missing.add(nodeName);
  }
  return [...names.values(), ...missing];
};

/** Nodes whose list is not what is attached. */
const nodesWithOtherLists = async (
  { objects }: AttachDetachDeps,
  known: KnownAttachments,
): Promise<readonly string[]> => {
  const others: string[] = [];
  for await (const { key, object } of rowsIn(objects, 'nodes', '')) {
    const node = object as Node;
    if (!isManaged(node)) continue;
    const attached = known.ofNode(key.name).filter(({ attachment }) => isAttached(attachment));
    const names = new Set(attached.map(({ volume }) => uniqueNameOf(volume)));
    const listed = volumesAttachedOf(node);
    if (listed.length !== names.size || listed.some((name) => !names.has(name))) others.push(key.name);
  }
  return others;
};

/** Queues each node that attach-detach may have something to do about. */
export const sweep = async (deps: AttachDetachDeps): Promise<SweepReport> => {
  const known = await follow(deps);
  const nodes = new Set([
    ...(await nodesWithWaits(deps)),
    ...(await nodesWithGaps(deps, known)),
    ...(await nodesWithOtherLists(deps, known)),
  ]);
  const messages = [...nodes].map((name) => ({ body: { v: 1, kind: 'node', name } }));
  if (messages.length > 0) await deps.queues.send(ATTACH_DETACH_QUEUE.name, messages);
  return { attachments: [...known.names()].length, nodes: nodes.size };
};
