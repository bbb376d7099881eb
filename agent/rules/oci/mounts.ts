/** What is mounted into the root of a container, in this order. Source: containerd v1.7 pkg/cri/opts `WithMounts`; kernel overlayfs.rst. */

import type { ContainerMount } from '../containers/container-mount.ts';
import type { ContainerSecurityContext } from '../cri/messages/containers.ts';
import { type BundleSpec, depthOf, partsOf } from './bundle-spec.ts';
import type { RootMount, RootPlan } from './image-root.ts';
import type { OciMount } from './runtime-spec.ts';

/** Where the folders of a layer are. */
export interface Layer {
  readonly upper: string;
  readonly work: string;
}

/** The layer of a folder of the image, such as `/usr`, in the folder of an attempt. */
export const layerOf = (attempt: string, path: string): Layer => {
  const folder = `${attempt}/layer/${encodeURIComponent(path.slice(1))}`;
  return { upper: `${folder}/u`, work: `${folder}/w` };
};

/** What the list of mounts depends on. */
export interface MountFacts {
  readonly spec: BundleSpec;
  readonly root: RootPlan;
  /** Folder of the attempt. */
  readonly attempt: string;
  /** Whether the machine mounts overlays; without them the folders of an image are read-only. */
  readonly hasOverlays: boolean;
  readonly isPrivileged: boolean;
  readonly isRootless: boolean;
  readonly hasHostIpc: boolean;
  /** Files of the machine that each container sees, such as `/etc/resolv.conf`. */
  readonly machineFiles: readonly ContainerMount[];
  /** The file that the container sees at its `terminationMessagePath`. */
  readonly messageFile: string;
}

const QUIET = ['nosuid', 'noexec', 'nodev'];

const mountOf = (
  destination: string,
  type: string,
  source: string,
  ...options: readonly string[]
): OciMount => ({
  destination,
  type,
  source,
  options,
});

/** A namespace of users cannot take a mount out of another namespace alone: what is below it comes along. */
const treeOf = (path: string, ...options: readonly string[]): OciMount =>
  mountOf(path, 'bind', path, 'rbind', ...options);

const READ_ONLY_TREE = [...QUIET, 'ro', 'rro'];

const PROC = mountOf('/proc', 'proc', 'proc', ...QUIET);

/** The devices of the machine, or those that each container has: they are made by the runtime. */
const devicesOf = ({ isPrivileged, isRootless, hasHostIpc }: MountFacts): readonly OciMount[] => {
  if (isPrivileged) return [treeOf('/dev')];
  const group = isRootless ? [] : ['gid=5'];
  return [
    mountOf('/dev', 'tmpfs', 'tmpfs', 'nosuid', 'strictatime', 'mode=755', 'size=65536k'),
    mountOf(
      '/dev/pts',
      'devpts',
      'devpts',
      'nosuid',
      'noexec',
      'newinstance',
      'ptmxmode=0666',
      'mode=0620',
      ...group,
    ),
    mountOf('/dev/mqueue', 'mqueue', 'mqueue', ...QUIET),
    hasHostIpc
      ? treeOf('/dev/shm', ...QUIET)
      : mountOf('/dev/shm', 'tmpfs', 'shm', ...QUIET, 'mode=1777', 'size=65536k'),
  ];
};

/** Without a network of its own a container cannot have a `sysfs` of its own. What the machine has mounted below it, such as `debugfs`, stays out. */
const systemOf = ({ isPrivileged, isRootless }: MountFacts): readonly OciMount[] => {
  if (isPrivileged) return [treeOf('/sys')];
  if (isRootless) return [treeOf('/sys', ...READ_ONLY_TREE)];
  return [
    mountOf('/sys', 'bind', '/sys', 'bind', ...QUIET, 'ro'),
    mountOf('/sys/fs/cgroup', 'cgroup', 'cgroup', ...QUIET, 'relatime', 'ro'),
  ];
};

/** The kernel reads these options as one text, with its own separators. */
const escaped = (path: string): string => path.replaceAll(/[\\,]/g, String.raw`\$&`);
const escapedLower = (path: string): string => path.replaceAll(/[\\,:]/g, String.raw`\$&`);

const overlayOf = ({ path, source }: RootMount, { spec, attempt, isRootless }: MountFacts): OciMount => {
  const { upper, work } = layerOf(attempt, path);
  return mountOf(
    path,
    'overlay',
    'overlay',
    'nodev',
    ...(spec.image === 'host' ? ['nosuid'] : []),
    `lowerdir=${escapedLower(source)}`,
    `upperdir=${escaped(upper)}`,
    `workdir=${escaped(work)}`,
    ...(isRootless ? ['userxattr'] : []),
  );
};

const rootMountOf = (mount: RootMount, facts: MountFacts): OciMount => {
  const { path, source, isOpen } = mount;
  if (isOpen) return mountOf(path, 'bind', source, 'rbind', 'rslave');
  if (facts.hasOverlays) return overlayOf(mount, facts);
  return mountOf(path, 'bind', source, 'rbind', 'nosuid', 'nodev', 'ro', 'rro');
};

const PROPAGATIONS = { HostToContainer: 'rslave', Bidirectional: 'rshared' } as const;

const bindOf = ({ source, target, isReadOnly, propagation }: ContainerMount): OciMount =>
  mountOf(
    `/${partsOf(target).join('/')}`,
    'bind',
    source,
    'rbind',
    propagation ? PROPAGATIONS[propagation] : 'rprivate',
    isReadOnly ? 'ro' : 'rw',
  );

/** Outer ones first, whatever the order in the pod is. */
const askedMounts = ({ spec, root, machineFiles, messageFile }: MountFacts): readonly OciMount[] => {
  const { terminationMessagePath: target, mounts } = spec;
  const message = target === undefined ? [] : [{ source: messageFile, target, isReadOnly: false }];
  const asked = [...mounts, ...message].map(bindOf);
  const taken = new Set(asked.map(({ destination }) => destination));
  const isMachine = root.mounts.some(({ isOpen }) => isOpen);
  const files = (isMachine ? [] : machineFiles)
    .map(bindOf)
    .filter(({ destination }) => !taken.has(destination));
  return [...files, ...asked].toSorted((a, b) => depthOf(a.destination) - depthOf(b.destination));
};

/** Why the container cannot have its image, for the reason `CreateContainerConfigError`; `undefined`: it can. */
export const layerFault = (
  {
    privileged = false,
    readonlyRootfs = false,
  }: Pick<ContainerSecurityContext, 'privileged' | 'readonlyRootfs'>,
  hasOverlays: boolean,
): string | undefined =>
  hasOverlays || privileged || readonlyRootfs
    ? undefined
    : 'readOnlyRootFilesystem: it must be true, because this machine mounts no overlays: the folders of an image cannot be written to';

/** What the pod mounts at the place of one of the first takes its place. */
export const ociMounts = (facts: MountFacts): readonly OciMount[] => {
  const asked = askedMounts(facts);
  const taken = new Set(asked.map(({ destination }) => destination));
  const first = [
    ...facts.root.mounts.map((mount) => rootMountOf(mount, facts)),
    PROC,
    ...devicesOf(facts),
    ...systemOf(facts),
  ];
  return [...first.filter(({ destination }) => !taken.has(destination)), ...asked];
};
