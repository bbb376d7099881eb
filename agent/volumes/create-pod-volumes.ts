/** The volumes of pods, in folders of the agent. Source: kubernetes v1.34 pkg/kubelet/volumemanager, `cleanupOrphanedPodDirs`. */
import { access, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '../../shared/kube/types/core.ts';
import type { PodObjects } from '../ports/api/pod-objects.ts';
import type { ServiceAccountTokens } from '../ports/api/service-account-tokens.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Trash } from '../ports/machine/trash.ts';
import type { PodVolumes, VolumeFault } from '../ports/pods/pod-volumes.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { Known } from '../rules/known.ts';
import { withClaims } from '../rules/volumes/claim.ts';
import { withOneOwner } from '../rules/volumes/one-owner.ts';
import { payloadOf } from '../rules/volumes/payload.ts';
import {
  defaultModeOf,
  isInMemory,
  type Projection,
  placeOnMachine,
  pluginFolder,
  projectionsOf,
  type TokenSource,
  type Volume,
  volumesOf,
} from '../rules/volumes/volume.ts';
import { isWritten, writeAtomically } from './atomic-folder.ts';
import { containerMounts } from './container-mounts.ts';
import { setUpEmptyDir } from './empty-dir.ts';
import { setUpHostPath } from './host-path.ts';
import { setUpLocal } from './local.ts';
import { mountMemory } from './memory.ts';
import type { Mounter } from './mounts.ts';
import { createTokens, type TokenAnswer, type Tokens } from './tokens.ts';

export interface PodVolumesOptions {
  /** Absolute: the agent's own folder. */
  readonly root: string;
  readonly clock: Pick<Clock, 'now' | 'uptime'>;
  readonly mounter: Mounter;
  readonly trash: Trash;
  readonly objects: PodObjects;
  readonly tokens: ServiceAccountTokens;
  /** Of the node. */
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly hostIPs: () => readonly string[];
  readonly node: () => Known<Node>;
  /** Containers have the agent's own user, by whatever number they know it; absent: each has its own. */
  readonly hasOneOwner?: boolean;
}

const HOUR_SECONDS = 3600;

const groupOf = ({ spec }: AgentPod): number | undefined =>
  (spec['securityContext'] as { readonly fsGroup?: number } | undefined)?.fsGroup;

const ownerOf = (pod: AgentPod): { readonly gid?: number } => {
  const gid = groupOf(pod);
  return gid === undefined ? {} : { gid };
};

const uidOf = ({ metadata }: AgentPod): string => metadata.uid ?? '';

interface Deps extends Omit<PodVolumesOptions, 'tokens'> {
  readonly tokens: Tokens;
}

/** A source that the agent cannot make. */
const typeOf = ({ name: _name, ...source }: Volume): string => Object.keys(source).join(', ');

const tokensOf = async (
  { tokens }: Deps,
  pod: AgentPod,
  sources: readonly Projection[],
): Promise<ReadonlyMap<TokenSource, TokenAnswer>> => {
  const { namespace = '', name } = pod.metadata;
  const answers = new Map<TokenSource, TokenAnswer>();
  for (const { serviceAccountToken: source } of sources) {
    if (!source) continue;
    const answer = await tokens.get({
      pod: { namespace, name, uid: uidOf(pod) },
      serviceAccount: pod.spec.serviceAccountName ?? 'default',
      expirationSeconds: source.expirationSeconds ?? HOUR_SECONDS,
      ...(source.audience !== undefined && source.audience !== '' && { audience: source.audience }),
    });
    answers.set(source, answer);
  }
  return answers;
};

/** Not what is written: containers see the folder as it was mounted for them. Where mounting is not permitted, the disk has the files. */
const moveToMemory = async ({ mounter }: Deps, folder: string): Promise<void> => {
  if (await isWritten(folder)) return;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await mountMemory(mounter, folder, undefined);
};

/** Writes the files of the volume. Returns why they cannot be as they should. */
const setUpFiles = async (
  deps: Deps,
  pod: AgentPod,
  volume: Volume,
  folder: string,
): Promise<string | undefined> => {
  const sources = projectionsOf(volume) ?? [];
  const { namespace = '' } = pod.metadata;
  const { objects, allocatable, hostIPs, clock } = deps;
  const answers = await tokensOf(deps, pod, sources);
  const payload = payloadOf(sources, {
    pod,
    defaultMode: defaultModeOf(volume),
    allocatable: allocatable(),
    podIPs: hostIPs(),
    hostIPs: hostIPs(),
    configMap: (name) => objects.configMap(namespace, name),
    secret: (name) => objects.secret(namespace, name),
    token: (source) => answers.get(source) ?? { fault: 'no token' },
  });
  if ('fault' in payload) return payload.fault;
  if (isInMemory(volume)) await moveToMemory(deps, folder);
  await writeAtomically(folder, payload.files, ownerOf(pod), clock.now());
  return undefined;
};

const setUpOne = async (
  deps: Deps,
  pod: AgentPod,
  volume: Volume,
  folder: string,
): Promise<string | undefined> => {
  if (volume.fault !== undefined) return volume.fault;
  if (volume.hostPath) return await setUpHostPath(volume);
  if (volume.local) return await setUpLocal(volume.local.path, volume.isReadOnly ? undefined : groupOf(pod));
  if (volume.emptyDir) return await setUpEmptyDir(deps.mounter, folder, volume, groupOf(pod));
  if (projectionsOf(volume)) return await setUpFiles(deps, pod, volume, folder);
  return `this agent has no volumes of the type ${typeOf(volume)}`;
};

const isThere = async (volume: Volume, folder: string): Promise<boolean> => {
  if (projectionsOf(volume)) return await isWritten(folder);
  if (!volume.emptyDir) return false;
  return await access(folder).then(
    () => true,
    () => false,
  );
};

/** Paths of the machine do not belong into events. */
const faultOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const setUp = async (deps: Deps, pod: AgentPod, folderOf: (volume: Volume) => string) => {
  const faults: VolumeFault[] = [];
  for (const volume of volumesOf(pod)) {
    const folder = folderOf(volume);
    const message = await setUpOne(deps, pod, volume, folder).catch(faultOf);
    if (message !== undefined)
      faults.push({ volume: volume.name, message, isThere: await isThere(volume, folder) });
  }
  return faults;
};

/** A mount that stays would have its files removed with the folder, so that all of them go first. */
const tearDown = async ({ mounter, trash, tokens }: Deps, uid: string, folder: string): Promise<void> => {
  tokens.forget(uid);
  for (const point of await mounter.below(folder)) await mounter.unmount(point);
  const [left] = await mounter.below(folder);
  if (left !== undefined) throw new Error(`${left} is still mounted`);
  await trash.discard(folder);
};

export const createPodVolumes = ({ tokens: api, ...options }: PodVolumesOptions): PodVolumes => {
  const deps: Deps = { ...options, tokens: createTokens(api, options.clock) };
  const pods = join(options.root, 'pods');
  const folderOf = (pod: AgentPod, volume: Volume): string =>
    placeOnMachine(volume) ?? join(pods, uidOf(pod), 'volumes', pluginFolder(volume) ?? 'none', volume.name);
  const seen = (pod: AgentPod): AgentPod => {
    const { namespace = '' } = pod.metadata;
    const { objects, node } = deps;
    const claim = (name: string) => objects.claim(namespace, name);
    const bound = withClaims(pod, { claim, volume: objects.volume, node: node() });
    return deps.hasOneOwner ? withOneOwner(bound) : bound;
  };
  return {
    setUp: async (pod) => {
      await mkdir(pods, { recursive: true, mode: 0o750 });
      return await setUp(deps, seen(pod), (volume) => folderOf(pod, volume));
    },
    mounts: async (pod, container, variables) =>
      await containerMounts(folderOf, seen(pod), container, variables),
    tearDown: async (uid) => await tearDown(deps, uid, join(pods, uid)),
    isBeingDeleted: deps.trash.holds,
    uids: async () => await readdir(pods).catch(() => []),
    measured: (pod) =>
      volumesOf(pod)
        .filter((volume) => pluginFolder(volume) !== undefined)
        .map((volume) => ({
          name: volume.name,
          folder: folderOf(pod, volume),
          isEphemeral: !isInMemory(volume),
        })),
  };
};

/** For containers that have no mounts: nothing is made, and what was made before is still removed. */
export const withoutVolumes = (volumes: PodVolumes): PodVolumes => ({
  ...volumes,
  setUp: async () => [],
  mounts: async () => ({ mounts: [] }),
  measured: () => [],
});
