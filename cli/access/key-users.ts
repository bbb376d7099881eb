/** The users that still use tokens of a key, as recorded by the API. */

import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { GROUP_MASTERS, USER_ADMIN } from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { ClusterChoice } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { readAnswer } from './api-answer.ts';
import { findCluster } from './cluster.ts';

export interface KeyUser {
  readonly name: string;
  readonly lastUseTime: string;
}

/** Lifetime in seconds of the token for this request. */
const ERRAND_SECONDS = 60;
/** Most users that are named; the others are only counted. */
const SHOWN = 5;

interface Answer {
  readonly status?: { readonly users?: readonly KeyUser[] };
}

/**
 * Users of a key since it stopped signing. Throws a `CommandError` if the API refuses, or the fetch's error if it does not
 * answer.
 */
export const usersOf = async (
  kid: string,
  choice: ClusterChoice,
  context: CommandContext,
): Promise<readonly KeyUser[]> => {
  const { authority, server, ca } = await findCluster(choice, context);
  const now = context.now();
  const admin = { name: USER_ADMIN, groups: [GROUP_MASTERS] };
  const token = await issueToken(authority, {
    ...admin,
    issuedAt: now,
    expiresAt: now + ERRAND_SECONDS * 1000,
  });
  const url = `${await server()}/apis/rollcall.dev/v1/signingkeys/${encodeURIComponent(kid)}`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await context.fetch(url, { headers, ...optional('ca', ca) });
  const { message = 'no reason given', status } = await readAnswer<Answer>(response);
  if (!response.ok) throw new CommandError(`the API answered ${response.status}: ${printable(message)}`);
  return status?.users ?? [];
};

/** The same, or the reason why it is unknown. */
export const usersOrReason = async (
  kid: string,
  choice: ClusterChoice,
  context: CommandContext,
): Promise<readonly KeyUser[] | string> => {
  try {
    return await usersOf(kid, choice, context);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return reasonOf(cause);
  }
};

/** "3 users: a, b, c", with the last use of each. */
export const listOfUsers = (users: readonly KeyUser[]): string => {
  const named = users
    .slice(0, SHOWN)
    .map(({ name, lastUseTime }) => `${printable(name)} (last at ${lastUseTime})`);
  const more = users.length > SHOWN ? [`and ${users.length - SHOWN} more`] : [];
  return `${users.length} ${users.length === 1 ? 'user' : 'users'}: ${[...named, ...more].join(', ')}`;
};
