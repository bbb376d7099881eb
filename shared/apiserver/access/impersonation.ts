/** Impersonation by the `Impersonate-…` headers. Source: apiserver v1.34 `endpoints/filters/impersonation.go`. */

import type { User } from '../../kinds/contract/user.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { GROUP_AUTHENTICATED, GROUP_UNAUTHENTICATED, USER_ANONYMOUS } from '../../kube/types/well-known.ts';
import type { HttpRequest } from '../contract/http.ts';
import { accountGroups, accountOf } from '../contract/service-accounts.ts';
import type { AccessFacts, ResourceAccess } from './access.ts';
import { decideResourceAccess, refusalOf } from './authorization.ts';

type Headers = HttpRequest['headers'];

const EXTRA_PREFIX = 'impersonate-extra-';

/** One attribute to impersonate: the access that it requires, and how Go prints it in an error. */
interface Claim {
  readonly access: ResourceAccess;
  readonly printed: string;
}

interface Wanted {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

// Repeated headers arrive joined by commas.
const valuesOf = (header: string | undefined): readonly string[] =>
  header === undefined ? [] : header.split(/, ?/);

const unescaped = (key: string): string => {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
};

const extraOf = (headers: Headers): Wanted['extra'] =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(EXTRA_PREFIX))
      .map(([name, value]) => [unescaped(name.slice(EXTRA_PREFIX.length)), valuesOf(value)]),
  );

const wantedOf = (headers: Headers): Wanted => ({
  user: headers['impersonate-user'] ?? '',
  groups: valuesOf(headers['impersonate-group']),
  uid: headers['impersonate-uid'] ?? '',
  extra: extraOf(headers),
});

const claim = (
  resource: string,
  name: string,
  printed: string,
  rest: Partial<ResourceAccess> = {},
): Claim => ({
  access: { verb: 'impersonate', group: '', resource, subresource: '', namespace: '', name, ...rest },
  printed,
});

const AUTHENTICATION = 'authentication.k8s.io';

const userClaim = (user: string): readonly Claim[] => {
  const account = accountOf(user);
  if (user === '') return [];
  return account
    ? [
        claim('serviceaccounts', account.name, `{ServiceAccount ${account.namespace} ${account.name}    }`, {
          namespace: account.namespace,
        }),
      ]
    : [claim('users', user, `{User  ${user}    }`)];
};

const claimsOf = ({ user, groups, uid, extra }: Wanted): readonly Claim[] => [
  ...userClaim(user),
  ...groups.map((group) => claim('groups', group, `{Group  ${group}    }`)),
  ...Object.entries(extra).flatMap(([key, values]) =>
    values.map((value) =>
      claim('userextras', value, `{UserExtra  ${value}  ${AUTHENTICATION}/v1  ${key}}`, {
        group: AUTHENTICATION,
        subresource: key,
      }),
    ),
  ),
  ...(uid === ''
    ? []
    : [claim('uids', uid, `{UID  ${uid}  ${AUTHENTICATION}/v1  }`, { group: AUTHENTICATION })]),
];

const withImplied = (user: string, groups: readonly string[]): readonly string[] => {
  if (user === USER_ANONYMOUS)
    return groups.includes(GROUP_UNAUTHENTICATED) ? groups : [...groups, GROUP_UNAUTHENTICATED];
  const isTold = groups.includes(GROUP_AUTHENTICATED) || groups.includes(GROUP_UNAUTHENTICATED);
  return isTold ? groups : [...groups, GROUP_AUTHENTICATED];
};

const groupsOf = ({ user, groups }: Wanted): readonly string[] => {
  const account = accountOf(user);
  return withImplied(user, groups.length === 0 && account ? accountGroups(account) : groups);
};

/**
 * The user that a request counts as: its sender, or the one that the headers name. Throws 403 unless the sender
 * may impersonate each attribute, 400 for groups, uid or extra without a user.
 */
export const impersonated = async (sender: User, headers: Headers, facts: AccessFacts): Promise<User> => {
  const wanted = wantedOf(headers);
  const claims = claimsOf(wanted);
  if (claims.length === 0) return sender;
  if (wanted.user === '')
    throw badRequest(
      `requested [${claims.map(({ printed }) => printed).join(' ')}] without impersonating a user`,
    );
  for (const { access } of claims) {
    const decided = await decideResourceAccess(sender, access, facts);
    if (decided.decision !== 'allow') throw refusalOf(sender, access, decided.why);
  }
  return {
    name: wanted.user,
    groups: groupsOf(wanted),
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    ...(Object.keys(wanted.extra).length === 0 ? {} : { extra: wanted.extra }),
  };
};
