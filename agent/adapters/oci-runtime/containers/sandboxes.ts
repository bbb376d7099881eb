/** What the containers of a pod start in: a record with a user of the pod's own, and a control group. */
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { SandboxSpec } from '../../../ports/machine/runtime.ts';
import { isSafeName } from '../../../rules/containers/container-id.ts';
import { nextSlot } from '../../../rules/oci/user.ts';
import { type PodRecord, readPod, writePod } from '../../containers/pod-record.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import type { OciParts } from './parts.ts';
import { readRecord } from './records.ts';

/** Whether containers can be started in it: a pod of agents before this runtime has no user. */
export const isSandboxWhole = (
  { places, groups, bootId: now }: OciParts,
  uid: string,
  { bootId, slot }: PodRecord,
): boolean => bootId === now && slot !== undefined && groups.exists(places.podGroup(uid));

/** The latest instant of the pod that is written down; 0: none is. */
export const latestOf = ({ places }: OciParts, uid: string): EpochMs =>
  Math.max(
    readPod(places.podFolder(uid))?.createdAt ?? 0,
    ...places.containers(uid).map((place) => readRecord(place)?.createdAt ?? 0),
  );

/** Those of all pods that are kept; the last one that was given out comes from the newest of them. */
const slots = ({ places }: OciParts): { readonly taken: ReadonlySet<number>; readonly last: number } => {
  const pods = places.podUids().flatMap((uid) => readPod(places.podFolder(uid)) ?? []);
  const newest = pods.toSorted((a, b) => b.createdAt - a.createdAt).find(({ slot }) => slot !== undefined);
  return { taken: new Set(pods.flatMap(({ slot }) => slot ?? [])), last: newest?.slot ?? -1 };
};

const freeSlot = (parts: OciParts): number => {
  const { taken, last } = slots(parts);
  const slot = nextSlot(taken, last);
  if (slot === undefined) throw new Error('each user that this node has for pods belongs to a pod');
  return slot;
};

/** Makes it anew if it is lost. The pod keeps its user: its volumes have files of it. */
export const createSandbox = async (parts: OciParts, spec: SandboxSpec): Promise<void> => {
  const { uid } = spec.pod;
  if (!isSafeName(uid)) throw new Error(`the uid "${uid}" of a pod cannot be the name of a folder`);
  const { places, groups, bootId, now } = parts;
  const folder = places.podFolder(uid);
  const known = readPod(folder);
  if (known && isSandboxWhole(parts, uid, known)) return;
  groups.make(places.podGroup(uid), spec.bounds, 'groups');
  makeFolder(folder, PRIVATE_FOLDER);
  // Later than all that was started in the one before, whatever the clock says.
  const createdAt = Math.max(now(), latestOf(parts, uid) + 1);
  writePod(folder, { spec, createdAt, bootId, slot: known?.slot ?? freeSlot(parts) });
};
