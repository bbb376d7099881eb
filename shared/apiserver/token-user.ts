/** What a verified token says of its bearer. Being signed does not make its claims well-formed: that is checked here. */
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

/** Seconds since 1970 of the end of the year 9999, the last instant that RFC 3339 can write. */
const LAST_INSTANT = 253_402_300_799;

const isText = (value: unknown): boolean => typeof value === 'string';
const isInstant = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= LAST_INSTANT;
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The form of each claim that is read. `sub` and `exp` must be there, others may be missing. */
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
  'kubernetes.io': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const REQUIRED: readonly string[] = ['sub', 'exp'];

/** The first claim that is missing or has a wrong type or an impossible value; `undefined`: all are well. */
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
