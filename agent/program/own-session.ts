/** The requests of the machine with its own token. */
import { createPatientSession } from '../adapters/api/patient-session.ts';
import { type Addresses, type ApiSession, createApiSession } from '../adapters/api/session.ts';
import { AgentFault } from '../ports/machine/agent-fault.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import { IN_GOOD_STANDING, standingAfter } from '../rules/node/standing.ts';
import type { OwnToken } from '../rules/registration/own-token.ts';

export interface OwnSessionDeps {
  readonly addresses: Addresses;
  /** The token that counts; it is asked for each request. */
  current(): OwnToken;
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Called when the control plane does not know this machine any more. */
  onVoid(fault: AgentFault): void;
}

const REMEDIES = {
  deleted: (name: string, why: string) =>
    new AgentFault(
      `the Node ${name} was deleted (${why}). The agent does not make it again. To join anew, run the line of a new "rollcall token --bootstrap --print-join"`,
      true,
    ),
  refused: (name: string, why: string) =>
    new AgentFault(
      `the token of the node ${name} does not count any more (${why}). Have an administrator run "rollcall token --release ${name}", and run the line of a new "rollcall token --bootstrap --print-join"`,
    ),
};

/** `undefined`: it is not the API that speaks, but something before it. */
const messageOf = (body: unknown): string | undefined => {
  const { kind, message } = (body ?? {}) as { readonly kind?: unknown; readonly message?: unknown };
  if (kind !== 'Status') return undefined;
  return typeof message === 'string' ? message : 'no reason given';
};

export const createOwnSession = ({
  addresses,
  current,
  clock,
  random,
  log,
  onVoid,
}: OwnSessionDeps): ApiSession => {
  let standing = IN_GOOD_STANDING;
  const session = createApiSession({
    addresses,
    token: () => current().token,
    uptime: clock.uptime,
    onBeatAddress: (url, problem) =>
      log(`heartbeats go to ${url} from here on${problem === undefined ? '' : `: ${problem}`}`),
    onAnswer: ({ status, body }) => {
      const message = messageOf(body);
      if (status >= 400 && message === undefined) return;
      const after = standingAfter(standing, status, message ?? '', clock.uptime());
      standing = after.standing;
      if (after.verdict !== 'known') onVoid(REMEDIES[after.verdict](current().nodeName, message ?? ''));
    },
  });
  return createPatientSession(session, { clock, random });
};
