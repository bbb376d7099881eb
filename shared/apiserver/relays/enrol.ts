/** Puts nodes on the roster of a relay: those whose tokens it shows. */

import { nodeNameOf } from '../../kinds/contract/user.ts';
import { hasReason } from '../../kube/errors/status-error.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { RelayPart, RelayRoster } from '../../rules/relays/relay-items.ts';
import { type Enrolment, enrolled } from '../../rules/relays/roster.ts';
import { readToken } from '../access/authentication.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { ShownToken } from './read-batch.ts';

/** A node for which the relay may not speak, and why. `gone`: there is no such Node any more. `full`: the part has no room. */
export interface Refusal {
  readonly name: string;
  readonly uid?: string;
  readonly reason: 'token' | 'gone' | 'full' | 'notOnRoster';
}

const authorityOf = ({ signingKeys, verified, config }: HeartbeatServerDeps) => ({
  signingKeys,
  clusterId: config.clusterId,
  ...(verified ? { verified } : {}),
});

/** What the token says, if it is a valid one of this node; it must be bound to a Node. */
const enrolmentOf = async (
  { name, token }: ShownToken,
  deps: HeartbeatServerDeps,
  now: EpochMs,
): Promise<Enrolment | undefined> => {
  try {
    const { user, expiresAt } = await readToken(token, authorityOf(deps), now);
    if (nodeNameOf(user) !== name || user.nodeUid === undefined) return undefined;
    return { name, uid: user.nodeUid, untilAt: expiresAt };
  } catch (error) {
    if (hasReason(error, 'Unauthorized')) return undefined;
    throw error;
  }
};

const joined = async (
  shown: ShownToken,
  part: RelayPart,
  deps: HeartbeatServerDeps,
  now: EpochMs,
): Promise<Enrolment | Refusal> => {
  const enrolment = await enrolmentOf(shown, deps, now);
  if (!enrolment) return { name: shown.name, reason: 'token' };
  const { name, uid } = enrolment;
  return (await deps.heartbeats.joinRelay(name, uid, part)) ? enrolment : { name, uid, reason: 'gone' };
};

/** The roster with the nodes whose tokens the relay has shown, and those that were refused. Nothing is stored of the roster yet. */
export const withShown = async (
  roster: RelayRoster | undefined,
  shown: readonly ShownToken[],
  part: RelayPart,
  deps: HeartbeatServerDeps,
  now: EpochMs,
): Promise<{ readonly roster: RelayRoster; readonly refused: readonly Refusal[] }> => {
  const all = await Promise.all(shown.map((one) => joined(one, part, deps, now)));
  const enrolments = all.filter((one): one is Enrolment => 'untilAt' in one);
  const next = enrolled(roster, enrolments, now);
  const full = next.full.map((name): Refusal => ({ name, reason: 'full' }));
  return { roster: next.roster, refused: [...all.filter((one) => 'reason' in one), ...full] };
};
