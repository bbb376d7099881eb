/** Which Node a machine has: events of a cloud name only the machine. And which other Node names it, too. */

import type { Node } from '../../../shared/kube/types/core.ts';
import type { Sighting, SightingKey } from '../../../shared/ports/store/control-store.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import { hasMachine } from '../../../shared/rules/cloud/instance.ts';
import { isNamedFor } from '../../../shared/rules/cloud/verified-machine.ts';
import type { CloudNodeDeps } from '../deps.ts';
import type { NodesMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';

type Deps = Pick<CloudNodeDeps, 'clock' | 'control' | 'objects' | 'queues'>;

/** A Node that names a machine. `isNamed`: the provider names it for the machine, which counts above what Nodes say. */
export interface Claim {
  readonly instance: string;
  readonly nodeName: string;
  readonly isNamed: boolean;
}

const keyOf = (instance: string): SightingKey => ({ topic: 'instance', name: instance });
const rivalKeyOf = (instance: string): SightingKey => ({ topic: 'instance-rival', name: instance });

/** Resolves to `false` if another run has stored one meanwhile, or there is nothing to store. */
const store = async (
  { clock, control }: Deps,
  key: SightingKey,
  seen: Sighting | undefined,
  nodeName: string | undefined,
): Promise<boolean> => {
  if (seen?.uid === nodeName) return false;
  const next = nodeName === undefined ? undefined : { ...key, uid: nodeName, since: clock.now() };
  return control.replaceSighting(key, seen, next);
};

const stillHas = async ({ objects }: Deps, instance: string, nodeName: string): Promise<boolean> => {
  const node: Node | undefined = liveRow(await objects.read(nodeKey(nodeName)))?.object;
  return node !== undefined && (hasMachine(node, instance) || isNamedFor(node, instance));
};

const lookAt = async ({ queues }: Deps, name: string): Promise<void> => {
  const body: NodesMessage = { v: 1, kind: 'nodes', names: [name] };
  await queues.send(CLOUD_NODE_QUEUE.name, [{ body }]);
};

/** Makes the Node the holder. If another run has stored one meanwhile, a further look decides. */
const hold = async (
  deps: Deps,
  { instance, nodeName }: Claim,
  holder: Sighting | undefined,
): Promise<void> => {
  const isHeld = holder?.uid === nodeName || (await store(deps, keyOf(instance), holder, nodeName));
  if (!isHeld) await lookAt(deps, nodeName);
};

/** Whether another Node than the holder names the machine. A rival that is gone is forgotten. */
const hasRival = async (deps: Deps, { instance, nodeName }: Claim): Promise<boolean> => {
  const rival = await deps.control.sighting(rivalKeyOf(instance));
  if (!rival) return false;
  if (rival.uid !== nodeName && (await stillHas(deps, instance, rival.uid))) return true;
  await store(deps, rivalKeyOf(instance), rival, undefined);
  return false;
};

/** A Node that only says so itself never replaces a Node that is there. The holder learns of it by a look. */
const besideHolder = async (deps: Deps, claim: Claim, holder: Sighting) => {
  const { instance, nodeName, isNamed } = claim;
  const rivalKey = rivalKeyOf(instance);
  const rival = await deps.control.sighting(rivalKey);
  if (isNamed) {
    await store(deps, rivalKey, rival, holder.uid);
    await hold(deps, claim, holder);
    return true;
  }
  const isKept = rival !== undefined && (await stillHas(deps, instance, rival.uid));
  if (!isKept && (await store(deps, rivalKey, rival, nodeName))) await lookAt(deps, holder.uid);
  return true;
};

/** Stores that the Node names the machine. Resolves to whether another Node that is there names it, too. */
export const rememberNode = async (deps: Deps, claim: Claim): Promise<boolean> => {
  const { instance, nodeName } = claim;
  const holder = await deps.control.sighting(keyOf(instance));
  if (holder && holder.uid !== nodeName && (await stillHas(deps, instance, holder.uid)))
    return besideHolder(deps, claim, holder);
  await hold(deps, claim, holder);
  return hasRival(deps, claim);
};

/** The name of the Node; `undefined`: no Node has named this machine. */
export const nodeOf = async (
  { control }: Pick<Deps, 'control'>,
  instance: string,
): Promise<string | undefined> => (await control.sighting(keyOf(instance)))?.uid;

/** The Node is gone: the machine has no Node any more, unless it has another one by now. The Node that named it, too, is looked at again. */
export const forgetNode = async (deps: Deps, instance: string, nodeName: string): Promise<void> => {
  const [holder, rival] = await Promise.all([
    deps.control.sighting(keyOf(instance)),
    deps.control.sighting(rivalKeyOf(instance)),
  ]);
  if (holder?.uid === nodeName) await store(deps, keyOf(instance), holder, undefined);
  if (rival?.uid === nodeName) await store(deps, rivalKeyOf(instance), rival, undefined);
  const other = holder?.uid === nodeName ? rival?.uid : holder?.uid;
  if (rival && other !== undefined && other !== nodeName) await lookAt(deps, other);
};
