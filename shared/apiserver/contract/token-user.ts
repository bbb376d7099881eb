/**
 * Turns the claims of a verified token into a user. A valid signature does not make claims well-formed, so they
 * are checked here.
 */

import type { BoundObject, User } from '../../kinds/contract/user.ts';
import { GROUP_AUTHENTICATED, GROUP_RELAYS, NODE_USER_PREFIX } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { type AccountName, accountGroups, accountOf } from './service-accounts.ts';

/** The claims of a token that are read. Claims of type `unknown` are checked by `malformedClaim`. */
export interface TokenPayload {
  readonly sub?: string;
  readonly jti?: unknown;
  readonly aud?: string | string[];
  /** Seconds since 1970. */
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly groups?: unknown;
  readonly uid?: unknown;
  /** Only in a bootstrap token with limits. */
  readonly bootstrap?: unknown;
  readonly node_uid?: unknown;
  /** Only in a service account's token: the account, and the objects that the token is bound to. */
  readonly 'kubernetes.io'?: unknown;
}

type Claims = Readonly<Record<string, unknown>>;

/** Seconds since 1970 of the end of the year 9999, the last instant that RFC 3339 can write. */
const LAST_INSTANT = 253_402_300_799;

const isText = (value: unknown): boolean => typeof value === 'string';
const isInstant = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= LAST_INSTANT;
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** A check for each claim that is read. `sub` and `exp` are required, the others optional. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  sub: (value) => isText(value) && value !== '',
  exp: isInstant,
  nbf: isInstant,
  iat: isInstant,
  aud: (value) => isText(value) || areTexts(value),
  groups: areTexts,
  jti: isText,
  uid: isText,
  node_uid: isText,
  'kubernetes.io': isObject,
  bootstrap: isObject,
};
const REQUIRED: readonly string[] = ['sub', 'exp'];

/** The first claim that is missing or has a wrong type or an impossible value; `undefined` if all are well-formed. */
export const malformedClaim = (payload: object): string | undefined =>
  Object.entries(FORMS).find(([claim, isWell]) => {
    const value = (payload as Claims)[claim];
    return value === undefined ? REQUIRED.includes(claim) : !isWell(value);
  })?.[0];

const claimsOf = (value: unknown): Claims =>
  typeof value === 'object' && value !== null ? (value as Claims) : {};

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const EXTRA_PREFIX = 'authentication.kubernetes.io';

// Source: apiserver v1.34 `authentication/serviceaccount`, `ServiceAccountInfo.UserInfo`.
const boundExtra = (payload: TokenPayload): NonNullable<User['extra']> => {
  const bound = claimsOf(payload['kubernetes.io']);
  const entries = [
    ['credential-id', typeof payload.jti === 'string' ? `JTI=${payload.jti}` : undefined],
    ...['node', 'pod'].flatMap((kind) => {
      const { name, uid } = claimsOf(bound[kind]);
      return [[`${kind}-name`, name] as const, [`${kind}-uid`, uid] as const];
    }),
  ] as const;
  return Object.fromEntries(
    entries.flatMap(([key, value]) =>
      typeof value === 'string' ? [[`${EXTRA_PREFIX}/${key}`, [value]] as const] : [],
    ),
  );
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const ACCOUNT_CLAIMS = [
  ['serviceaccount', 'service account'],
  ['pod', 'pod'],
  ['secret', 'secret'],
  ['node', 'node'],
] as const;

/**
 * The objects that a service account's token is bound to. A claim that cannot be read names an object that does
 * not exist, so the token is refused.
 */
const accountBinding = (payload: TokenPayload, { namespace }: AccountName): readonly BoundObject[] => {
  const bound = claimsOf(payload['kubernetes.io']);
  return ACCOUNT_CLAIMS.filter(([claim]) => bound[claim] !== undefined).map(([claim, kind]) => {
    const { name, uid } = claimsOf(bound[claim]);
    return { kind, namespace: kind === 'node' ? '' : namespace, name: textOf(name), uid: textOf(uid) };
  });
};

const nodeBinding = (name: string, uid: string): BoundObject => ({
  kind: 'own node',
  namespace: '',
  name: name.startsWith(NODE_USER_PREFIX) ? name.slice(NODE_USER_PREFIX.length) : '',
  uid,
});

const accountUser = (account: AccountName, payload: TokenPayload): User => {
  const name = payload.sub ?? '';
  const groups = [...new Set([...accountGroups(account), ...texts(payload.groups)])];
  const { uid } = claimsOf(claimsOf(payload['kubernetes.io'])['serviceaccount']);
  const extra = boundExtra(payload);
  return {
    name,
    groups: [...groups, GROUP_AUTHENTICATED],
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    boundTo: accountBinding(payload, account),
  };
};

/**
 * The user that a token's claims name. A service account is in the groups of its namespace, whatever the token
 * says; other users are in the groups that the token names.
 */
export const userOf = (payload: TokenPayload): User => {
  const name = payload.sub ?? '';
  const groups = texts(payload.groups);
  const account = accountOf(name);
  if (account) return accountUser(account, payload);
  const { uid, node_uid: nodeUid, iat, bootstrap, jti, exp = 0 } = payload;
  return {
    name,
    groups: [...new Set([...groups, GROUP_AUTHENTICATED])],
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof nodeUid === 'string' ? { nodeUid, boundTo: [nodeBinding(name, nodeUid)] } : {}),
    ...optional(
      'limits',
      bootstrap === undefined
        ? undefined
        : { claim: claimsOf(bootstrap), id: textOf(jti), expiresAt: exp * 1000 },
    ),
    ...(iat !== undefined && groups.includes(GROUP_RELAYS) ? { issuedAt: iat * 1000 } : {}),
  };
};
