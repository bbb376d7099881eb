/** What a node has to run and to end, put together from the pages of an answer. See docs/machine-protocol.md. */
import type { Pod, Taint } from '../../../shared/api/core.ts';
import { isObject } from '../../../shared/api/json-object.ts';
import type { ApiObject } from '../../../shared/api/meta.ts';

/** A ConfigMap or a Secret. */
export interface ReferredObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
  /** In base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
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
}

const LISTS = ['pods', 'configMaps', 'secrets'] as const;

const formFault = (page: Wire): string | undefined => {
  if (page.kind !== 'NodeWork' || typeof page.workRevision !== 'string' || !isObject(page.node))
    return 'the answer is no NodeWork, or was cut';
  const missing = LISTS.find((list) => !Array.isArray(page[list]));
  return missing && `the answer has no list "${missing}"`;
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
  const { node, pods, configMaps, secrets } = page as Omit<NodeWork, 'revision'>;
  return { revision, node, pods, configMaps, secrets, ...(next ? { next } : {}) };
};

/** All pages of one answer as one. */
export const joinedPages = (first: WorkPage, rest: readonly WorkPage[]): NodeWork => ({
  revision: first.revision,
  node: first.node,
  pods: [first, ...rest].flatMap(({ pods }) => pods),
  configMaps: [first, ...rest].flatMap(({ configMaps }) => configMaps),
  secrets: [first, ...rest].flatMap(({ secrets }) => secrets),
});
