/** What a bundle is made from: of the specification of a container, the members that the runtime acts on. */
import type { ContainerMount } from '../containers/container-mount.ts';
import type { Bounds } from '../cri/linux-resources.ts';
import type { ContainerInput } from '../runtime/container-input.ts';

export interface BundleSpec {
  /** `host`, or the absolute path of a folder. */
  readonly image: string;
  /** The program with its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute; absent: `/`. */
  readonly workingDirectory?: string;
  readonly mounts: readonly ContainerMount[];
  readonly bounds: Bounds & { readonly pidsLimit?: number };
  readonly oomScoreAdjust: number;
  readonly input?: ContainerInput;
  readonly terminationMessagePath?: string;
}

/** The parts of an absolute path, without `.` and `..`. */
export const partsOf = (path: string): readonly string[] => {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts;
};

/** How many folders it is below the root: outer mounts come first. */
export const depthOf = (path: string): number => partsOf(path).length;
