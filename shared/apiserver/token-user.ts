/** What a token that was verified says of its bearer. Nothing of it is to be trusted in form. */
import { GROUP_AUTHENTICATED } from '../api/well-known.ts';
import { accountGroups, accountOf } from './service-accounts.ts';
import type { User } from './user.ts';

export interface TokenPayload {
  readonly sub?: string;
  readonly jti?: unknown;
  readonly aud?: string | string[];
  /** Seconds since 1970. */
  readonly exp?: number;
  readonly nbf?: number;
  readonly groups?: unknown;
  readonly uid?: unknown;
  readonly node_uid?: unknown;
  /** Of a service account's token: the account, and the pod or node that it is bound to. */
  readonly 'kubernetes.io'?: unknown;
}

type Claims = Readonly<Record<string, unknown>>;

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

const accountUser = (name: string, payload: TokenPayload, groups: readonly string[]): User => {
  const { uid } = claimsOf(claimsOf(payload['kubernetes.io'])['serviceaccount']);
  const extra = boundExtra(payload);
  return {
    name,
    groups: [...groups, GROUP_AUTHENTICATED],
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
};

/** Service accounts are in the groups of their namespace, whatever the token says; others in those that it names. */
export const userOf = (payload: TokenPayload): User => {
  const name = payload.sub ?? '';
  const groups = texts(payload.groups);
  const account = accountOf(name);
  if (account) return accountUser(name, payload, [...new Set([...accountGroups(account), ...groups])]);
  return {
    name,
    groups: [...new Set([...groups, GROUP_AUTHENTICATED])],
    ...(typeof payload.uid === 'string' ? { uid: payload.uid } : {}),
    ...(typeof payload.node_uid === 'string' ? { nodeUid: payload.node_uid } : {}),
  };
};
