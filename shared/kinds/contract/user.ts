import {
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODES,
  GROUP_RELAYS,
  GROUP_UNAUTHENTICATED,
  NODE_USER_PREFIX,
  RELAY_USER_PREFIX,
  USER_ANONYMOUS,
} from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Writer } from '../../rules/nodes/writer.ts';

/** An object that a token is bound to: the token is valid only while an object of this name and uid exists. */
export interface BoundObject {
  readonly kind: 'own node' | 'node' | 'service account' | 'pod' | 'secret';
  /** `''` for nodes. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The sender of a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** Further attributes, such as the pod that uses a service account. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** uid of the Node that the token was issued for. */
  readonly nodeUid?: string;
  /** When the token of a relay was issued (ms): it is void if its relay was deleted after that. */
  readonly issuedAt?: EpochMs;
  /** Of a bootstrap token with limits: the claim that has them, the id of the token, and when it expires. */
  readonly limits?: { readonly claim: object; readonly id: string; readonly expiresAt: EpochMs };
  /** Objects that the token is bound to; none for a token that was issued for a user name. */
  readonly boundTo?: readonly BoundObject[];
}

/** The user of a request without a token. */
export const ANONYMOUS: User = { name: USER_ANONYMOUS, groups: [GROUP_UNAUTHENTICATED] };

const isIn = (group: string) => (user: User) => user.groups.includes(group);

/** Whether the user is an administrator: in the group `system:masters`. */
export const isAdmin = isIn(GROUP_MASTERS);

/** Whether the user may only register nodes: in the group of bootstrappers, and neither an administrator nor a node. */
export const isBootstrapper = (user: User): boolean =>
  isIn(GROUP_BOOTSTRAPPERS)(user) && !isAdmin(user) && nodeNameOf(user) === undefined;

/** Whether a write to a Node counts as the node's own or as another client's. */
export const writerOf = (user: User): Exclude<Writer, 'controller'> =>
  nodeNameOf(user) === undefined ? 'client' : 'node';

/** The relay's name if the user is one: `system:relay:<name>` in the group `rollcall:relays`. */
export const relayNameOf = ({ name, groups }: Pick<User, 'name' | 'groups'>): string | undefined =>
  groups.includes(GROUP_RELAYS) && name.startsWith(RELAY_USER_PREFIX)
    ? name.slice(RELAY_USER_PREFIX.length)
    : undefined;

/** The node's name if the user is one: `system:node:<name>` in the group `system:nodes`. */
export const nodeNameOf = (user: User): string | undefined =>
  user.groups.includes(GROUP_NODES) && user.name.startsWith(NODE_USER_PREFIX)
    ? user.name.slice(NODE_USER_PREFIX.length)
    : undefined;
