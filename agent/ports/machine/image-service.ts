/** The images of the machine, and the registries behind them. */
import type { Credentials } from '../../rules/images/credentials.ts';
import type { RuntimeImage } from '../../rules/node/inventory.ts';
import type { PodIdentity } from './runtime.ts';

/** An image that is on the machine. */
export interface StoredImage extends RuntimeImage {
  /** What containers show as their image, and by which it is removed. */
  readonly id: string;
  /** It is never removed, such as that of the sandboxes. */
  readonly isPinned: boolean;
  /** The user whom its containers run as, unless the pod says otherwise; absent: root, or the image does not tell. */
  readonly user?: { readonly uid: number } | { readonly name: string };
}

/** The file system that has the images. */
export interface ImageFileSystem {
  readonly mountpoint: string;
  readonly usedBytes?: number;
  readonly inodesUsed?: number;
}

export interface PullRequest {
  /** With a tag or a digest. */
  readonly image: string;
  /** Absent: without any. They are never written down. */
  readonly credentials?: Credentials;
  readonly pod: PodIdentity;
  /** Of the pod's RuntimeClass; absent: the usual one. */
  readonly runtimeHandler?: string;
  /** Ends the pull. */
  readonly signal: AbortSignal;
}

/** Methods reject with the runtime's error. */
export interface ImageService {
  list(): Promise<readonly StoredImage[]>;
  /** `undefined`: it is not on the machine. */
  status(image: string): Promise<StoredImage | undefined>;
  /** Resolves with the id, or another name by which containers can be started. */
  pull(request: PullRequest): Promise<string>;
  /** Resolves if there is no such image, too. */
  remove(id: string): Promise<void>;
  /** Ids, digests or names of the images that the runtime's containers have, ended ones and those of others too, and that of its sandboxes. */
  used(): Promise<ReadonlySet<string>>;
  /** Those of the images; the first counts. */
  fileSystems(): Promise<readonly ImageFileSystem[]>;
}
