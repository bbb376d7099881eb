/** What a node has to run and to end, put together from the pages of an answer. See docs/machine-protocol.md. */

import { isObject, type JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { Pod, Taint } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import { type ChannelCall, channelCallIn } from './channel-call.ts';

/** A ConfigMap or a Secret. */
export interface ReferredObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
  /** In base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Of a Secret, such as `kubernetes.io/dockerconfigjson`. */
  readonly type?: string;
}

/** A RuntimeClass. */
export interface RuntimeClassObject extends ApiObject {
  /** What the container runtime calls it. */
  readonly handler?: string;
}

/** The part of the Node that its machine acts on. */
export interface NodeDuties {
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly deletionTimestamp?: string;
}

/** Everything that the control plane wants of the node. */
export interface NodeWork {
  readonly revision: string;
  readonly node: NodeDuties;
  /** All pods that are bound to the node, except mirror pods. One that is not here is gone. */
  readonly pods: readonly Pod[];
  /** Those that pods refer to which have not ended. */
  readonly configMaps: readonly ReferredObject[];
  readonly secrets: readonly ReferredObject[];
  /** None from a control plane that does not know them. */
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  /** Those that the claims are bound to. */
  readonly persistentVolumes: readonly PersistentVolume[];
  /** Those that the pods name. */
  readonly runtimeClasses: readonly RuntimeClassObject[];
  /** The control plane cannot connect to the node, and wants it to connect. */
  readonly channel?: ChannelCall;
}

/** Whose work it has to be. */
export interface WorkOwner {
  readonly clusterId: string;
  readonly nodeUid: string;
}

/** A page of an answer; `next`: where the next page begins. */
export interface WorkPage extends NodeWork {
  readonly next?: string;
}

interface Wire {
  readonly kind?: unknown;
  readonly metadata?: { readonly uid?: unknown; readonly continue?: string };
  readonly workRevision?: unknown;
  readonly clusterId?: unknown;
  readonly node?: unknown;
  readonly pods?: unknown;
  readonly configMaps?: unknown;
  readonly secrets?: unknown;
  readonly persistentVolumeClaims?: unknown;
  readonly persistentVolumes?: unknown;
  readonly runtimeClasses?: unknown;
  readonly channel?: unknown;
}

const LISTS = ['pods', 'configMaps', 'secrets'] as const;
/** A control plane that is older than the agent may not have them. */
const OPTIONAL_LISTS = ['persistentVolumeClaims', 'persistentVolumes', 'runtimeClasses'] as const;

const metadataOf = (one: unknown): JsonObject =>
  isObject(one) && isObject(one['metadata']) ? one['metadata'] : {};

const isNamed = (one: unknown): boolean => typeof metadataOf(one)['name'] === 'string';

/** What is no whole pod must not be taken for one that has nothing to run. */
const isPod = (one: unknown): boolean => {
  const spec = isObject(one) ? one['spec'] : undefined;
  return (
    isNamed(one) &&
    typeof metadataOf(one)['uid'] === 'string' &&
    isObject(spec) &&
    Array.isArray(spec['containers'])
  );
};

const formFault = (page: Wire): string | undefined => {
  if (page.kind !== 'NodeWork' || typeof page.workRevision !== 'string' || !isObject(page.node))
    return 'the answer is no NodeWork, or was cut';
  const missing =
    LISTS.find((list) => !Array.isArray(page[list])) ??
    OPTIONAL_LISTS.find((list) => page[list] !== undefined && !Array.isArray(page[list]));
  if (missing !== undefined) return `the answer has no list "${missing}"`;
  const lists = [...LISTS, ...OPTIONAL_LISTS].map((list) => [list, page[list] ?? []] as const);
  const broken = lists.find(
    ([list, all]) => !(all as readonly unknown[]).every(list === 'pods' ? isPod : isNamed),
  );
  return broken && `the answer has something in its list "${broken[0]}" that does not belong there`;
};

const ownerFault = (page: Wire, { clusterId, nodeUid }: WorkOwner): string | undefined => {
  if (page.clusterId !== clusterId)
    return `the answer is from the cluster ${JSON.stringify(page.clusterId)}, and this node is of ${JSON.stringify(clusterId)}`;
  return page.metadata?.uid === nodeUid ? undefined : 'the answer is for another Node of this name';
};

/** A page, or why it says nothing. `first`: the first page of the same answer. */
export const parseWorkPage = (
  body: unknown,
  owner: WorkOwner,
  first?: WorkPage,
): WorkPage | { readonly fault: string } => {
  const page: Wire = isObject(body) ? body : {};
  const fault = formFault(page) ?? ownerFault(page, owner);
  if (fault !== undefined) return { fault };
  const revision = page.workRevision as string;
  if (first !== undefined && first.revision !== revision)
    return { fault: 'a page of the answer has another revision than the first one' };
  const next = page.metadata?.continue;
  const { node, pods, configMaps, secrets, ...rest } = page as Omit<NodeWork, 'revision'>;
  const {
    persistentVolumeClaims = [],
    persistentVolumes = [],
    runtimeClasses = [],
  } = rest as Partial<typeof rest>;
  const channel = channelCallIn(page.channel);
  return {
    revision,
    node,
    pods,
    configMaps,
    secrets,
    persistentVolumeClaims,
    persistentVolumes,
    runtimeClasses,
    ...(channel && { channel }),
    ...(next ? { next } : {}),
  };
};

/** All pages of one answer as one. */
export const joinedPages = (first: WorkPage, rest: readonly WorkPage[]): NodeWork => ({
  revision: first.revision,
  node: first.node,
  pods: [first, ...rest].flatMap(({ pods }) => pods),
  configMaps: [first, ...rest].flatMap(({ configMaps }) => configMaps),
  secrets: [first, ...rest].flatMap(({ secrets }) => secrets),
  persistentVolumeClaims: [first, ...rest].flatMap((page) => page.persistentVolumeClaims),
  persistentVolumes: [first, ...rest].flatMap((page) => page.persistentVolumes),
  runtimeClasses: [first, ...rest].flatMap((page) => page.runtimeClasses),
  ...(first.channel && { channel: first.channel }),
});
