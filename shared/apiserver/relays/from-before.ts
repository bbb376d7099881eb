import { isAdmin, type User } from '../../kinds/contract/user.ts';
import { forbidden } from '../../kube/errors/status-error.ts';
import { toTime } from '../../kube/values/time.ts';
import { isFromBefore } from '../../rules/relays/closed-roster.ts';
import type { RelayRoster } from '../../rules/relays/relay-items.ts';
import { RELAY_KIND } from './relay-kind.ts';

/** Throws 403 if the relay was deleted after the token of its user was issued (J-323). */
export const checkNotFromBefore = (user: User, roster: RelayRoster | undefined, relay: string): void => {
  if (isAdmin(user) || !isFromBefore(roster, user.issuedAt)) return;
  throw forbidden(
    { resource: RELAY_KIND.resource, group: RELAY_KIND.group, name: relay },
    `the relay was deleted at ${toTime(roster?.closedAt ?? 0)}, and tokens from before are void; if it is to work again, make a new one: rollcall token --relay ${relay}`,
  );
};
