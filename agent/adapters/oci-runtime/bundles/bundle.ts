/** Makes the folder that a container is created from: `config.json`, and a root whose folders are mounted by the runtime. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { AgentPod } from '../../../rules/containers/agent-pod.ts';
import type { Container } from '../../../rules/containers/container.ts';
import type { ContainerMount } from '../../../rules/containers/container-mount.ts';
import type { ContainerSecurityContext } from '../../../rules/cri/messages/containers.ts';
import {
  containerSecurity,
  isPrivileged,
  type SeccompSettings,
} from '../../../rules/cri/security-context.ts';
import type { BundleSpec } from '../../../rules/oci/bundle-spec.ts';
import { unknownCapability } from '../../../rules/oci/capabilities.ts';
import { type AgentFacts, ociConfig, processFault } from '../../../rules/oci/config.ts';
import {
  folderRoot,
  hostRoot,
  imageFault,
  machineRoot,
  type RootPlan,
} from '../../../rules/oci/image-root.ts';
import { layerFault, layerOf } from '../../../rules/oci/mounts.ts';
import type { OciConfig, OciSeccomp } from '../../../rules/oci/runtime-spec.ts';
import { localSeccomp } from '../../../rules/oci/seccomp.ts';
import { imageUser, userFault } from '../../../rules/oci/user.ts';
import { rootOf } from '../../containers/image-folder.ts';
import { StartRefusedError } from '../../containers/start-refused.ts';
import { openRegular, readAtMost, textAtMost } from '../../linux/bounded-file.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import { EXIT_FOLDER } from './conmon.ts';
import { entriesIn, entryAt, mountPointsIn } from './image-listing.ts';

/** A container, as the pod has it, and what the agent knows beside that. */
export interface BundleRequest {
  readonly pod: AgentPod;
  readonly container: Container;
  readonly spec: BundleSpec;
  readonly hostname: string;
  /** The slot of its pod. */
  readonly slot: number;
  /** Folder of the attempt. It is not there yet, and the folder above it is the agent's own. */
  readonly attempt: string;
  readonly cgroupsPath: string;
  /** Folders of the machine that the image `host` has besides. */
  readonly hostImagePaths: readonly string[];
  /** Folders that may be images, or have images below them. */
  readonly imageFolders: readonly string[];
  /** Folders of the agent, of which no image may show anything. */
  readonly privateFolders: readonly string[];
  readonly hasOverlays: boolean;
  readonly seccomp: SeccompSettings;
  readonly agent: AgentFacts;
}

export const CONFIG_FILE = 'config.json';
export const MESSAGE_FILE = 'message';
const PRIVATE_FILE = 0o600;
/** Anybody in the container may write its last message. */
const FOR_ALL = 0o666;
const ROOT_MODE = 0o755;
const MOST_PROFILE = 2 ** 20;

/** Read through links: what the machine has there now. */
const machineFiles = (): readonly ContainerMount[] =>
  ['/etc/resolv.conf', '/etc/hosts']
    .filter((path) => existsSync(path))
    .map((path) => ({ source: realpathSync(path), target: path, isReadOnly: true }));

const namedEntries = async (paths: readonly string[]) =>
  (await Promise.all(paths.map((path) => entryAt('/', path)))).filter((entry) => entry !== undefined);

const ofMachine = async ({ container, hostImagePaths }: BundleRequest): Promise<RootPlan> => {
  const entries = await entriesIn('/');
  if (isPrivileged(container)) return machineRoot(entries);
  const known = new Set(entries.map(({ path }) => path));
  const named = await namedEntries(hostImagePaths.filter((path) => !known.has(path)));
  return hostRoot([...entries, ...named], hostImagePaths, await mountPointsIn('/'));
};

/** Rejects with `StartRefusedError` if there is no such image. */
const rootPlan = async (request: BundleRequest): Promise<RootPlan> => {
  const folder = rootOf(request.spec);
  if (folder === undefined) return await ofMachine(request);
  const refused = imageFault(folder, request.imageFolders, request.privateFolders);
  if (refused !== undefined) throw new StartRefusedError('CreateContainerError', refused);
  const plan = folderRoot(folder, await entriesIn(folder), await mountPointsIn(folder));
  if ('fault' in plan) throw new StartRefusedError('CreateContainerError', plan.fault);
  return plan;
};

const configFault = (fault: string | undefined): void => {
  if (fault !== undefined) throw new StartRefusedError('CreateContainerConfigError', fault);
};

/** Of a container that names one of the machine. */
const localProfileOf = async ({ seccomp }: ContainerSecurityContext): Promise<OciSeccomp | undefined> => {
  if (seccomp?.profileType !== 'Localhost') return undefined;
  const text = await textAtMost(seccomp.localhostRef ?? '', MOST_PROFILE);
  const read = text === '' ? { fault: 'the seccomp profile is not there' } : localSeccomp(text);
  if ('profile' in read) return read.profile;
  throw new StartRefusedError('CreateContainerError', read.fault);
};

const copy = async (source: string, target: string, mode: number): Promise<void> => {
  const file = await openRegular(source);
  try {
    const { size } = await file.stat();
    writeFileSync(target, await readAtMost(file, 0, size), { flag: 'wx', mode });
  } finally {
    await file.close();
  }
};

/** The root of an overlay has the owner and the mode of the upper folder. */
const makeLayers = (attempt: string, { mounts }: RootPlan, isRoot: boolean): void => {
  for (const { path, mode, uid, gid, isOpen } of mounts) {
    if (isOpen) continue;
    const { upper, work } = layerOf(attempt, path);
    makeFolder(upper, PRIVATE_FOLDER);
    makeFolder(work, PRIVATE_FOLDER);
    if (isRoot) chownSync(upper, uid, gid);
    chmodSync(upper, mode);
  }
};

const makeRoot = async (attempt: string, plan: RootPlan): Promise<void> => {
  const root = join(attempt, 'rootfs');
  makeFolder(root, ROOT_MODE);
  for (const { path, mode } of plan.folders) {
    makeFolder(join(root, path, '..'), ROOT_MODE);
    makeFolder(join(root, path), mode);
  }
  for (const { path, target } of plan.links) symlinkSync(target, join(root, path));
  for (const { path, source, mode } of plan.copies) await copy(source, join(root, path), mode);
};

const makeMessage = (attempt: string): void => {
  const path = join(attempt, MESSAGE_FILE);
  writeFileSync(path, '', { flag: 'wx' });
  chmodSync(path, FOR_ALL);
};

const capabilityFault = ({ name }: Container, security: ContainerSecurityContext): string | undefined => {
  const unknown = unknownCapability(security);
  return unknown === undefined ? undefined : `unknown capability "${unknown}" in container ${name}`;
};

/** What the container may do, or `StartRefusedError`. */
const securityOf = (request: BundleRequest): ContainerSecurityContext => {
  const { pod, container, spec, slot, seccomp, agent, hasOverlays } = request;
  const place = { image: spec.image, slot, isRootless: agent.rootless !== undefined };
  const security = containerSecurity(pod, container, imageUser(container, place), seccomp);
  configFault(userFault(pod, container, security, place));
  configFault(layerFault(security, hasOverlays));
  configFault(capabilityFault(container, security));
  return security;
};

const configOf = async (request: BundleRequest, root: RootPlan): Promise<OciConfig> => {
  const security = securityOf(request);
  const localProfile = await localProfileOf(security);
  const config = ociConfig({
    ...request,
    security,
    root,
    messageFile: join(request.attempt, MESSAGE_FILE),
    machineFiles: machineFiles(),
    ...optional('localProfile', localProfile),
  });
  if (config.process.args.length === 0)
    throw new StartRefusedError('CreateContainerError', 'no command specified');
  const fault = processFault(config.process);
  if (fault !== undefined) throw new StartRefusedError('RunContainerError', fault);
  return config;
};

/** Resolves with what the folder was made from. Rejects with `StartRefusedError` if the container cannot be had as the pod wants it. */
export const makeBundle = async (
  request: BundleRequest,
): Promise<{ readonly config: OciConfig; readonly root: RootPlan }> => {
  const { attempt, agent } = request;
  const root = await rootPlan(request);
  const config = await configOf(request, root);
  mkdirSync(attempt, { mode: PRIVATE_FOLDER });
  makeFolder(join(attempt, EXIT_FOLDER), PRIVATE_FOLDER);
  await makeRoot(attempt, root);
  makeLayers(attempt, root, agent.rootless === undefined);
  makeMessage(attempt);
  writeFileSync(join(attempt, CONFIG_FILE), JSON.stringify(config), { flag: 'wx', mode: PRIVATE_FILE });
  return { config, root };
};
