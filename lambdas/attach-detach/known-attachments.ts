/** The VolumeAttachments and volumes that a process knows, from their logs. */
import type { PersistentVolume, VolumeAttachment } from '../../shared/kube/types/storage.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import {
  type AttachableVolume,
  attachableOf,
  uniqueNameOf,
} from '../../shared/rules/attachments/attachable.ts';
import { createFollower, type FollowedChange, withoutManagers } from '../../shared/store/lists/follower.ts';
import { createGroups, type Groups } from '../../shared/store/lists/groups.ts';
import { createProcessState } from '../../shared/store/lists/process-state.ts';
import { type AttachDetachDeps, attachmentName } from './deps.ts';

/** A VolumeAttachment of this controller, and its volume. */
export interface OwnAttachment {
  readonly attachment: VolumeAttachment;
  readonly volume: AttachableVolume;
}

/** All attachments and volumes as of the last call of `follow`. */
export interface KnownAttachments {
  /** Whether a hole of a log hides what came last; it is filled within about a second. */
  isWaiting(): boolean;
  attachment(name: string): VolumeAttachment | undefined;
  /** The attachments of the node that have the names that this controller gives. Their volumes exist. */
  ofNode(nodeName: string): readonly OwnAttachment[];
  /** The attachments of a volume, whoever made them. */
  ofVolume(volume: AttachableVolume): readonly VolumeAttachment[];
  volume(name: string): AttachableVolume | undefined;
  /** The names of all attachments. */
  names(): Iterable<string>;
}

const nodeOf = ({ spec }: VolumeAttachment): string | undefined => spec?.nodeName;
const volumeOf = ({ spec }: VolumeAttachment): string | undefined => spec?.source?.persistentVolumeName;

/** A volume has a few kilobytes; only a part of it says how it is attached. */
const onlyAttachable = ({ apiVersion, kind, metadata, spec }: PersistentVolume): PersistentVolume => {
  const { name, uid } = metadata;
  const { csi, accessModes, claimRef } = spec ?? {};
  const { driver, volumeHandle } = (csi ?? {}) as Readonly<Record<string, unknown>>;
  return {
    apiVersion,
    kind,
    metadata: { name, ...optional('uid', uid) },
    spec: {
      csi: { driver, volumeHandle },
      accessModes: accessModes ?? [],
      ...(claimRef?.uid === undefined ? {} : { claimRef: { uid: claimRef.uid } }),
    },
  };
};

interface Indexes {
  readonly attachments: Map<string, VolumeAttachment>;
  readonly byNode: Groups;
  readonly byVolume: Groups;
  readonly volumes: Map<string, AttachableVolume>;
  /** Names of volumes by unique name: two may stand for one disk. */
  readonly byUniqueName: Groups;
}

const replaceAttachment = (indexes: Indexes, { before, after }: FollowedChange): void => {
  const { attachments, byNode, byVolume } = indexes;
  const index = (one: VolumeAttachment, how: 'add' | 'remove'): void => {
    byNode[how](nodeOf(one), one.metadata.name);
    byVolume[how](volumeOf(one), one.metadata.name);
  };
  if (before) {
    index(before, 'remove');
    attachments.delete(before.metadata.name);
  }
  if (!after) return;
  index(after, 'add');
  attachments.set(after.metadata.name, after);
};

const replaceVolume = ({ volumes, byUniqueName }: Indexes, { before, after }: FollowedChange): void => {
  const [was, is] = [before && attachableOf(before), after && attachableOf(after)];
  if (was) byUniqueName.remove(uniqueNameOf(was), was.name);
  if (before) volumes.delete(before.metadata.name);
  if (!is) return;
  byUniqueName.add(uniqueNameOf(is), is.name);
  volumes.set(is.name, is);
};

const viewOf = (indexes: Indexes, isWaiting: () => boolean): KnownAttachments => {
  const { attachments, byNode, byVolume, volumes, byUniqueName } = indexes;
  const named = (names: Iterable<string>): readonly VolumeAttachment[] =>
    [...names].toSorted().flatMap((name) => attachments.get(name) ?? []);
  return {
    isWaiting,
    attachment: (name) => attachments.get(name),
    ofNode: (nodeName) =>
      named(byNode.of(nodeName)).flatMap((attachment) => {
        const volume = volumes.get(volumeOf(attachment) ?? '');
        const isOwn = volume && attachmentName(volume, nodeName) === attachment.metadata.name;
        return isOwn ? [{ attachment, volume }] : [];
      }),
    ofVolume: (volume) =>
      [...new Set([volume.name, ...byUniqueName.of(uniqueNameOf(volume))])].flatMap((name) =>
        named(byVolume.of(name)),
      ),
    volume: (name) => volumes.get(name),
    names: () => attachments.keys(),
  };
};

const createKnown = (deps: AttachDetachDeps) => {
  const indexes: Indexes = {
    attachments: new Map(),
    byNode: createGroups(),
    byVolume: createGroups(),
    volumes: new Map(),
    byUniqueName: createGroups(),
  };
  const volumes = createFollower(deps, 'persistentvolumes', onlyAttachable);
  const attachments = createFollower(deps, 'volumeattachments', withoutManagers);
  const view = viewOf(indexes, () => volumes.isWaiting() || attachments.isWaiting());
  return {
    follow: async (): Promise<KnownAttachments> => {
      for (const change of await volumes.changes()) replaceVolume(indexes, change);
      for (const change of await attachments.changes()) replaceAttachment(indexes, change);
      return view;
    },
  };
};

const inProcess = createProcessState(createKnown);

/** Reads the logs up to now. */
export const follow = (deps: AttachDetachDeps): Promise<KnownAttachments> =>
  inProcess(deps, (known) => known.follow());
