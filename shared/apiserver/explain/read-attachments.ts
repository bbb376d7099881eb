/** Reads VolumeAttachments, and what is stored about them. */
import { createHash } from 'node:crypto';
import type { Node } from '../../kube/types/core.ts';
import type { PersistentVolume, VolumeAttachment } from '../../kube/types/storage.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import {
  type AttachableVolume,
  attachableOf,
  attachmentNameOf,
  isManaged,
  volumeOfUniqueName,
} from '../../rules/attachments/attachable.ts';
import { volumesAttachedOf } from '../../rules/attachments/volumes-attached.ts';
import { storedName } from '../../rules/attachments/wait-names.ts';
import type { KnownAttachment } from '../../rules/explain/detach.ts';
import type { ExplainDeps } from './explain-deps.ts';

/** VolumeAttachments that are searched at most. A node also lists its own, which are read by name. */
const MOST_SEARCHED = 500;
/** VolumeAttachments that an explanation has at most. */
const MOST_SHOWN = 16;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name that the VolumeAttachment of a volume and a node has. */
export const nameOfAttachment = (
  volume: Pick<AttachableVolume, 'driver' | 'handle'>,
  nodeName: string,
): string => attachmentNameOf(volume, nodeName, sha256);

/** The object with this name; `undefined` for no name, and if there is none. */
export const readObject = async <T>(
  { objects }: ExplainDeps,
  resource: string,
  name: string,
  namespace = '',
): Promise<T | undefined> =>
  name === ''
    ? undefined
    : (liveRow(await objects.read({ resource, namespace, name }))?.object as T | undefined);

const search = async (
  { objects }: ExplainDeps,
  isWanted: (spec: NonNullable<VolumeAttachment['spec']>) => boolean,
): Promise<readonly VolumeAttachment[]> => {
  const kind = { resource: 'volumeattachments', namespace: '' } as const;
  const { rows } = await objects.page({ ...kind, limit: MOST_SEARCHED });
  const all: readonly VolumeAttachment[] = rows.map(({ object }) => object);
  return all.filter(({ spec }) => spec !== undefined && isWanted(spec));
};

/** The attachments that the node lists. */
const listedOn = async (deps: ExplainDeps, node: Node): Promise<readonly VolumeAttachment[]> => {
  const { name } = node.metadata;
  const names = volumesAttachedOf(node)
    .map(volumeOfUniqueName)
    .filter((volume) => volume !== undefined)
    .map((volume) => nameOfAttachment(volume, name));
  const read = names
    .slice(0, MOST_SHOWN)
    .map((one) => readObject<VolumeAttachment>(deps, 'volumeattachments', one));
  return (await Promise.all(read)).filter((one) => one !== undefined);
};

/** An attachment with a name of another kind was made by somebody else, who ends it. */
const known = async (
  deps: ExplainDeps,
  attachment: VolumeAttachment,
  node: Node | undefined,
): Promise<KnownAttachment | undefined> => {
  const { nodeName = '', source } = attachment.spec ?? {};
  const { name, uid } = attachment.metadata;
  const [stored, seen] = await Promise.all([
    readObject<PersistentVolume>(deps, 'persistentvolumes', source?.persistentVolumeName ?? ''),
    deps.control.sighting({ topic: 'unwanted-volume', name: storedName(nodeName, name) }),
  ]);
  const volume = stored && attachableOf(stored);
  if (volume && nameOfAttachment(volume, nodeName) !== name) return undefined;
  return { attachment, node, volume, unwantedSince: seen?.uid === uid ? seen?.since : undefined };
};

/** The attachments of a node. */
export const attachmentsOfNode = async (
  deps: ExplainDeps,
  node: Node,
): Promise<readonly KnownAttachment[]> => {
  const [found, listed] = await Promise.all([
    search(deps, ({ nodeName }) => nodeName === node.metadata.name),
    listedOn(deps, node),
  ]);
  const all = new Map([...found, ...listed].map((one) => [one.metadata.name, one]));
  const read = [...all.values()].slice(0, MOST_SHOWN).map((one) => known(deps, one, node));
  return (await Promise.all(read)).filter((one) => one !== undefined);
};

/** The attachments of these volumes, at whatever nodes. Those at nodes that the caller may not read are left out. */
export const attachmentsOfVolumes = async (
  deps: ExplainDeps,
  volumes: ReadonlySet<string>,
): Promise<readonly KnownAttachment[]> => {
  const found = await search(deps, ({ source }) => volumes.has(source?.persistentVolumeName ?? ''));
  const read = found.slice(0, MOST_SHOWN).map(async (one) => {
    const name = one.spec?.nodeName ?? '';
    if (!(await deps.mayRead({ group: '', resource: 'nodes', namespace: '', name }))) return undefined;
    const node: Node | undefined = liveRow(await deps.objects.read(nodeKey(name)))?.object;
    return node && !isManaged(node) ? undefined : known(deps, one, node);
  });
  return (await Promise.all(read)).filter((one) => one !== undefined);
};

/** Whether the caller may read what these need. */
export const mayReadAttachments = async ({ mayRead }: ExplainDeps): Promise<boolean> => {
  const allowed = await Promise.all([
    mayRead({ group: '', resource: 'persistentvolumes', namespace: '', name: '' }),
    mayRead({ group: 'storage.k8s.io', resource: 'volumeattachments', namespace: '', name: '' }),
  ]);
  return allowed.every((one) => one);
};
