/** What is stored about volumes: since when nobody wants one at its node, and which nodes wait for what. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting } from '../../shared/ports/store/control-store.ts';
import { SEPARATOR, storedName, TOLD } from '../../shared/rules/attachments/wait-names.ts';
import type { AttachDetachDeps } from './deps.ts';

type Deps = Pick<AttachDetachDeps, 'control' | 'clock'>;

/** What is stored of one node. The names are those of VolumeAttachments, or of what the node waits for. */
export interface StoredOfNode {
  readonly unwanted: ReadonlyMap<string, Sighting>;
  readonly waits: ReadonlyMap<string, Sighting>;
}

type Topic = 'unwanted-volume' | 'volume-wait';

const partsOf = ({ name }: Sighting): readonly [node: string, what: string] => {
  const [node = '', what = ''] = name.split(SEPARATOR);
  return [node, what];
};

const readOfNode = async (
  { control }: Deps,
  topic: Topic,
  nodeName: string,
): Promise<ReadonlyMap<string, Sighting>> => {
  const sightings = await control.sightings(topic, storedName(nodeName, ''));
  return new Map(sightings.map((sighting) => [partsOf(sighting)[1], sighting]));
};

/** Reads what is stored of a node. */
export const readStored = async (deps: Deps, nodeName: string): Promise<StoredOfNode> => {
  const [unwanted, waits] = await Promise.all([
    readOfNode(deps, 'unwanted-volume', nodeName),
    readOfNode(deps, 'volume-wait', nodeName),
  ]);
  return { unwanted, waits };
};

/** Nodes of which something is stored. */
export const nodesWithWaits = async ({ control }: Deps): Promise<readonly string[]> => {
  const both = await Promise.all([control.sightings('unwanted-volume'), control.sightings('volume-wait')]);
  return both.flat().map((sighting) => partsOf(sighting)[0]);
};

/** What nodes wait for: the claim of this path. */
export const waitForClaim = (path: string): string => `claim/${path}`;

/** Nodes that wait for it. */
export const nodesThatWaitFor = async ({ control }: Deps, what: string): Promise<readonly string[]> =>
  (await control.sightings('volume-wait'))
    .map(partsOf)
    .flatMap(([node, wait]) => (wait === what ? [node] : []));

/** Whether the pods have been told that their volume is at another node. */
export const isTold = (wait: Sighting | undefined): boolean => wait?.uid === TOLD;

const keep = async (
  { control }: Deps,
  topic: Topic,
  [nodeName, what]: readonly [string, string],
  read: Sighting | undefined,
  next: { readonly uid: string; readonly since: EpochMs } | undefined,
): Promise<boolean> => {
  const key = { topic, name: storedName(nodeName, what) };
  return control.replaceSighting(key, read, next && { ...key, ...next });
};

/** Stores since when nobody wants the volume of this VolumeAttachment; `uid` is that of the attachment. */
export const storeUnwanted = async (
  deps: Deps,
  nodeName: string,
  { name, uid }: { readonly name: string; readonly uid: string },
  since: EpochMs,
  read: Sighting | undefined,
): Promise<void> => {
  if (read?.uid === uid && read.since === since) return;
  await keep(deps, 'unwanted-volume', [nodeName, name], read, { uid, since });
};

/** Forgets all but these VolumeAttachments. */
export const forgetUnwanted = async (
  deps: Deps,
  nodeName: string,
  { unwanted }: StoredOfNode,
  but: ReadonlySet<string>,
): Promise<void> => {
  for (const [name, read] of unwanted)
    if (!but.has(name)) await keep(deps, 'unwanted-volume', [nodeName, name], read, undefined);
};

/**
 * Stores that the node waits for just these, and which of them its pods have been told of. Resolves to whether one is new: what it waits for
 * may have come before that was stored.
 */
export const storeWaits = async (
  deps: Deps,
  nodeName: string,
  { waits }: StoredOfNode,
  wanted: ReadonlyMap<string, { readonly isTold: boolean }>,
): Promise<boolean> => {
  let isNew = false;
  for (const [what, read] of waits)
    if (!wanted.has(what)) await keep(deps, 'volume-wait', [nodeName, what], read, undefined);
  for (const [what, given] of wanted) {
    const read = waits.get(what);
    const uid = given.isTold ? TOLD : '';
    if (read?.uid === uid) continue;
    await keep(deps, 'volume-wait', [nodeName, what], read, { uid, since: read?.since ?? deps.clock.now() });
    isNew ||= read === undefined;
  }
  return isNew;
};
