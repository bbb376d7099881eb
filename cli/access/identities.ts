/** The users that tokens of commands name. */
import type { TokenClaims } from '../../shared/apiserver/access/authentication.ts';
import {
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_VIEWERS,
  USER_ADMIN,
} from '../../shared/kube/types/well-known.ts';

/** The user that a token names. */
export type Identity = Pick<TokenClaims, 'name' | 'groups' | 'uid'>;

/** The identities of tokens that have an option of their own. */
export const ROLES = {
  admin: { name: USER_ADMIN, groups: [GROUP_MASTERS] },
  viewer: { name: 'rollcall-viewer', groups: [GROUP_VIEWERS] },
  bootstrap: { name: 'rollcall-bootstrapper', groups: [GROUP_BOOTSTRAPPERS] },
} as const;
