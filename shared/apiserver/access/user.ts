import {
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODES,
  GROUP_UNAUTHENTICATED,
  NODE_USER_PREFIX,
  USER_ANONYMOUS,
} from '../../api/well-known.ts';
import type { Writer } from '../../domain/nodes/writer.ts';

/** What a token is bound to: an object of this name and uid must be there. */
export interface BoundObject {
  readonly kind: 'own node' | 'node' | 'service account' | 'pod' | 'secret';
  /** `''` for nodes. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** What else is known of the user, such as the pod that uses a service account. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** uid of the Node that the token was made for. */
  readonly nodeUid?: string;
  /** What the token is void without; none for tokens that were signed for a name. */
  readonly boundTo?: readonly BoundObject[];
}

export const ANONYMOUS: User = { name: USER_ANONYMOUS, groups: [GROUP_UNAUTHENTICATED] };

const isIn = (group: string) => (user: User) => user.groups.includes(group);

export const isAdmin = isIn(GROUP_MASTERS);

/** A user who only registers nodes: neither an administrator nor a node. */
export const isBootstrapper = (user: User): boolean =>
  isIn(GROUP_BOOTSTRAPPERS)(user) && !isAdmin(user) && nodeNameOf(user) === undefined;

/** How the user's writes count for a Node's facts. */
export const writerOf = (user: User): Exclude<Writer, 'controller'> =>
  nodeNameOf(user) === undefined ? 'client' : 'node';

/** The node's name if the user is one: `system:node:<name>` in the group `system:nodes`. */
export const nodeNameOf = (user: User): string | undefined =>
  user.groups.includes(GROUP_NODES) && user.name.startsWith(NODE_USER_PREFIX)
    ? user.name.slice(NODE_USER_PREFIX.length)
    : undefined;
