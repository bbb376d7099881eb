/** What the Node's status says about the runtime and what is on the machine. Source: kubernetes v1.34 pkg/kubelet/nodestatus. */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { ContainerImage, NodeRuntimeHandler, NodeSystemInfo } from './reported-status.ts';

/** An image as the runtime lists it; `size` in bytes. */
export interface RuntimeImage {
  readonly id?: string;
  readonly repoDigests: readonly string[];
  readonly repoTags: readonly string[];
  readonly size: number;
}

/** Names that a Node's status has of one image. */
const MOST_NAMES = 5;

/** The largest first; of equal ones the one with the greater id. */
const bySize = (a: RuntimeImage, b: RuntimeImage): number =>
  b.size - a.size || byText(b.id ?? '', a.id ?? '');

/**
 * The images of the status: the largest `most` (a negative number: all), each with its digests before its tags; `undefined` instead
 * of an empty list.
 */
export const reportedImages = (
  images: readonly RuntimeImage[],
  most: number,
): readonly ContainerImage[] | undefined => {
  const sorted = images.toSorted(bySize);
  const kept = most < 0 ? sorted : sorted.slice(0, most);
  if (kept.length === 0) return undefined;
  return kept.map(({ repoDigests, repoTags, size }) => ({
    names: [...repoDigests, ...repoTags].slice(0, MOST_NAMES),
    sizeBytes: size,
  }));
};

export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** The handlers in the order in which the runtime lists them, which has to be a stable one: another order counts as a change. */
export const reportedHandlers = (handlers: readonly RuntimeHandler[]): readonly NodeRuntimeHandler[] =>
  handlers.map(({ name, ...features }) => ({ name, features }));

/** Volumes in use by pods. Until the agent has looked at all of its pods, what it reported before stays. */
export const reportedVolumes = (
  before: readonly string[] | undefined,
  inUse: readonly string[] | undefined,
  isSynced: boolean,
): readonly string[] | undefined => (isSynced ? inUse : before);

export interface Versions {
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly runtimeType: string;
  /** `undefined`: the runtime does not tell. */
  readonly runtimeVersion?: string;
  readonly agentVersion: string;
}

type VersionInfo = Pick<
  NodeSystemInfo,
  'kernelVersion' | 'osImage' | 'containerRuntimeVersion' | 'kubeletVersion' | 'kubeProxyVersion'
>;

/** The versions of a Node. Which kube-proxy runs is not known to a node agent. */
export const versionInfo = (versions: Versions): VersionInfo => ({
  kernelVersion: versions.kernelVersion,
  osImage: versions.osImage,
  containerRuntimeVersion: `${versions.runtimeType}://${versions.runtimeVersion ?? 'Unknown'}`,
  kubeletVersion: versions.agentVersion,
  kubeProxyVersion: '',
});
