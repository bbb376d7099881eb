/**
 * rollcall.dev/v1 SigningKeys: which key signs, and which users still send tokens of another key. The keys
 * themselves are never shown.
 */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { notFound } from '../../kube/errors/status-error.ts';
import { toTime } from '../../kube/values/time.ts';
import type { KeyUse } from '../../ports/outside/key-uses.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';

/** The kind SigningKey and its resource. */
export const SIGNING_KEY_KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'SigningKey',
  resource: 'signingkeys',
  namespaced: false,
};

/**
 * Most users that one answer names. Before retiring a key, an administrator must know that there are many, not
 * all of them.
 */
const MOST_USERS = 1_000;

const usedBy = ({ user, lastUsedAt, expiresAt }: KeyUse) => ({
  name: user,
  lastUseTime: toTime(lastUsedAt),
  tokenExpirationTime: toTime(expiresAt),
});

/**
 * GET of one key by its id. `status.signs` tells whether new tokens are signed with it, `status.users` which
 * users sent tokens of it since it stopped signing (at most 1,000). Throws 404.
 */
export const getSigningKey: Handle<ApiServerDeps> = async (call, { signingKeys, keyUses, clock }) => {
  const { name } = call.info;
  if ((await signingKeys.find(name)) === undefined) throw notFound(subjectOf(call));
  const [current, uses] = await Promise.all([
    signingKeys.current(),
    keyUses.list(name, clock.now(), MOST_USERS),
  ]);
  return ok({
    kind: SIGNING_KEY_KIND.kind,
    apiVersion: 'rollcall.dev/v1',
    metadata: { name },
    status: { signs: current.kid === name, users: uses.map(usedBy) },
  });
};
