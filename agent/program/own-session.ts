/** The requests of the machine with its own token. */
import { type Addresses, type ApiSession, createApiSession } from '../adapters/api/session.ts';
import type { OwnToken } from '../domain/node/own-token.ts';
import { IN_GOOD_STANDING, standingAfter } from '../domain/node/standing.ts';
import type { Clock } from '../ports/clock.ts';
import { AgentFault } from './agent-fault.ts';

export interface OwnSessionDeps {
  readonly addresses: Addresses;
  /** The token that counts; it is asked for each request. */
  current(): OwnToken;
  readonly clock: Pick<Clock, 'uptime'>;
  /** Called when the control plane does not know this machine any more. */
  onVoid(fault: AgentFault): void;
}

const REMEDIES = {
  deleted: (name: string, why: string) =>
    new AgentFault(
      `the Node ${name} was deleted (${why}). The agent does not make it again. To join anew, remove the root folder's token.json and give a bootstrap token`,
      true,
    ),
  refused: (name: string, why: string) =>
    new AgentFault(
      `the token of the node ${name} does not count any more (${why}). Have an administrator run "rollcall token --release ${name}", remove the root folder's token.json and give a bootstrap token`,
    ),
};

const messageOf = (body: unknown): string => {
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : 'no reason given';
};

export const createOwnSession = ({ addresses, current, clock, onVoid }: OwnSessionDeps): ApiSession => {
  let standing = IN_GOOD_STANDING;
  return createApiSession({
    addresses,
    token: () => current().token,
    onAnswer: ({ status, body }) => {
      const message = messageOf(body);
      const after = standingAfter(standing, status, message, clock.uptime());
      standing = after.standing;
      if (after.verdict !== 'known') onVoid(REMEDIES[after.verdict](current().nodeName, message));
    },
  });
};
