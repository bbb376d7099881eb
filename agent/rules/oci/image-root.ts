/**
 * What the root of a container is made of: a private folder, into which only what the image names is mounted. Nothing is there that was not
 * named, and the image is never written to.
 */
import { depthOf } from './bundle-spec.ts';

/** A member of an image, as it is on the machine. */
export interface Entry {
  /** In the image: absolute, such as `/usr`. */
  readonly path: string;
  readonly kind: 'folder' | 'link' | 'file' | 'other';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly bytes: number;
  /** Of a link. */
  readonly target?: string;
}

/** A folder of the machine that is mounted into the root, below a layer of the container's own unless it is `isOpen`. */
export interface RootMount {
  /** In the container. */
  readonly path: string;
  /** On the machine. */
  readonly source: string;
  /** Of the folder, for the layer above it. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** What the container writes there is written on the machine: of privileged containers. */
  readonly isOpen: boolean;
}

/** Paths are those of the container; outer ones come first. */
export interface RootPlan {
  readonly folders: readonly { readonly path: string; readonly mode: number }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly copies: readonly { readonly path: string; readonly source: string; readonly mode: number }[];
  readonly mounts: readonly RootMount[];
  /** Mount points of the machine below a folder of the image. The container does not see what is mounted there. */
  readonly unseen: readonly string[];
}

/** The runtime mounts the kernel's file systems on them. */
export const OF_THE_KERNEL: readonly string[] = ['/proc', '/sys', '/dev'];

const MODE = 0o755;
const FOR_ALL = 0o1777;

const EMPTY: RootPlan['folders'] = [
  ...[...OF_THE_KERNEL, '/run', '/var', '/home', '/root', '/srv', '/mnt'].map((path) => ({
    path,
    mode: MODE,
  })),
  { path: '/tmp', mode: FOR_ALL },
  { path: '/var/tmp', mode: FOR_ALL },
];

/** What programs that know the machine expect. */
const RUN: RootPlan['links'][number] = { path: '/var/run', target: '/run' };

const OF_HOST = /^\/(usr|etc|opt|bin|sbin|lib[^/]*)$/;

/** Bytes of the files that stand beside the folders of an image. */
const MOST_COPIED = 2 ** 20;

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

const mountsOf = (entries: readonly Entry[], base: string, isOpen: boolean): readonly RootMount[] =>
  entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ path, mode, uid, gid }) => ({ path, source: `${base}${path}`, mode, uid, gid, isOpen }))
    .toSorted((a, b) => depthOf(a.path) - depthOf(b.path));

const linksOf = (entries: readonly Entry[]): RootPlan['links'] =>
  entries.flatMap(({ path, target }) => (target === undefined ? [] : [{ path, target }]));

const unseenIn = (mounts: readonly RootMount[], mountPoints: readonly string[]): readonly string[] => {
  const shown = new Set(mounts.map(({ source }) => source));
  return [...new Set(mountPoints)].filter(
    (point) => !shown.has(point) && mounts.some(({ source }) => isWithin(point, source)),
  );
};

/** What is not in the place of a member of the image, or in one. */
const beside = <T extends { readonly path: string }>(
  own: readonly T[],
  entries: readonly Entry[],
): readonly T[] =>
  own.filter(({ path }) => !entries.some((entry) => entry.path === path || isWithin(path, entry.path)));

/**
 * Of the image `host`. `entries`: what stands in the machine's `/`, and what `hostImagePaths` name beside it. `mountPoints`: of all file
 * systems of the machine.
 */
export const hostRoot = (
  entries: readonly Entry[],
  hostImagePaths: readonly string[],
  mountPoints: readonly string[],
): RootPlan => {
  const named = new Set(hostImagePaths);
  const shown = entries.filter(({ path }) => OF_HOST.test(path) || named.has(path));
  const mounts = mountsOf(shown, '', false);
  return {
    folders: beside(EMPTY, shown),
    links: [...linksOf(shown), ...beside([RUN], shown)],
    copies: [],
    mounts,
    unseen: unseenIn(mounts, mountPoints),
  };
};

/** Of a privileged container of the image `host`: the machine itself. */
export const machineRoot = (entries: readonly Entry[]): RootPlan => {
  const shown = entries.filter(({ path }) => !OF_THE_KERNEL.includes(path));
  const mounts = mountsOf(shown, '', true);
  return { folders: beside(EMPTY, shown), links: linksOf(shown), copies: [], mounts, unseen: [] };
};

const copiesFault = (files: readonly Entry[], image: string): string | undefined => {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return bytes > MOST_COPIED
    ? `the files that stand in the image ${image} itself have ${bytes} bytes, and at most ${MOST_COPIED} are copied: put them into a folder of it`
    : undefined;
};

/**
 * Why a folder may not be the image of a container, which may be root in it; `undefined`: it may. `allowed`: folders that the owner of the
 * machine has named, or that are below one of those. `own`: folders of the agent. Links are resolved.
 */
export const imageFault = (
  image: string,
  allowed: readonly string[],
  own: readonly string[],
): string | undefined => {
  if (!allowed.some((folder) => folder === image || isWithin(image, folder)))
    return `the image "${image}" is in no folder that --image-folders of the agent names`;
  const found = own.find((folder) => folder === image || isWithin(folder, image) || isWithin(image, folder));
  return found === undefined
    ? undefined
    : `the image "${image}" would show ${found}, which belongs to the agent`;
};

/** Of a folder as the image: all that stands in it. Sockets, pipes and devices are left out. */
export const folderRoot = (
  image: string,
  entries: readonly Entry[],
  mountPoints: readonly string[],
): RootPlan | { readonly fault: string } => {
  const shown = entries.filter(({ path }) => !OF_THE_KERNEL.includes(path));
  const files = shown.filter(({ kind }) => kind === 'file');
  const fault = copiesFault(files, image);
  if (fault !== undefined) return { fault };
  const mounts = mountsOf(shown, image, false);
  return {
    folders: beside(EMPTY, shown),
    links: linksOf(shown),
    copies: files.map(({ path, mode }) => ({ path, source: `${image}${path}`, mode: mode & 0o777 })),
    mounts,
    unseen: unseenIn(mounts, mountPoints),
  };
};
