/** Issues tokens for relays: POST /apis/rollcall.dev/v1/relays/{name}/token. */

import { isAdmin, relayNameOf } from '../../kinds/contract/user.ts';
import { badRequest, forbidden } from '../../kube/errors/status-error.ts';
import { GROUP_RELAYS, RELAY_USER_PREFIX } from '../../kube/types/well-known.ts';
import { toTime } from '../../kube/values/time.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../rules/relays/relay-name.ts';
import { RELAY_TOKEN_SECONDS } from '../../rules/relays/token-lifetime.ts';
import { issueToken } from '../access/authentication.ts';
import { type Call, type Handle, subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';
import { readLifetime } from '../tokens/token-lifetime.ts';
import { checkNotFromBefore } from './from-before.ts';

const checkAsked = (call: Call): void => {
  const { info, user, request } = call;
  if (isDryRun(request, 'CreateOptions'))
    throw badRequest('dryRun: a token that is issued holds: leave dryRun out');
  if (!isRelayName(info.name))
    throw badRequest(`${info.name} is not a name of a relay: use ${RELAY_NAME_FORM}`);
  if (!isAdmin(user) && relayNameOf(user) !== info.name)
    throw forbidden(subjectOf(call), `user "${user.name}" may not have a token of relay "${info.name}"`);
};

/** Issues a token to the relay itself or to an administrator. Throws 400, 403 and 415. */
export const relayToken: Handle<ApiServerDeps> = async (call, deps) => {
  checkAsked(call);
  const { name } = call.info;
  const ttl = readLifetime(call.request, RELAY_TOKEN_SECONDS);
  const { roster } = await deps.heartbeats.readRelay({ relay: name, part: 0 });
  checkNotFromBefore(call.user, roster, name);
  const issuedAt = deps.clock.now();
  const expiresAt = issuedAt + ttl * 1000;
  const { signingKeys, config } = deps;
  const claims = { name: `${RELAY_USER_PREFIX}${name}`, groups: [GROUP_RELAYS], issuedAt, expiresAt };
  const token = await issueToken({ signingKeys, clusterId: config.clusterId }, claims);
  return created({
    kind: 'RelayToken',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name },
    status: { token, expirationTimestamp: toTime(expiresAt) },
  });
};
