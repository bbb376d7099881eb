/** Renews the node's own token when half of its time is over. */
import type { IssuedToken } from '../adapters/api/token-api.ts';
import type { TokenStore } from '../ports/api/token-store.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import { type MachineTime, type OwnToken, untilRenewalMs } from '../rules/registration/own-token.ts';

export interface RenewTokenDeps {
  readonly tokens: Pick<TokenStore, 'store'>;
  /** The token that counts. */
  current(): OwnToken;
  /** From now on this one counts. */
  replace(token: OwnToken): void;
  issue(lifeMs: number): Promise<IssuedToken>;
  readonly lifeMs: number;
  machineTime(): MachineTime;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
}

/** The machine may sleep, which stops timers: so none is long. */
const MOST_PAUSE_MS = 60_000;
const RETRY_MS = 10_000;

/** A token that is stored later than it is used would be lost with the agent, and the old one ends: so it is stored first. */
const renew = async (deps: RenewTokenDeps): Promise<void> => {
  const { nodeName } = deps.current();
  const since = deps.machineTime();
  const issued = await deps.issue(deps.lifeMs);
  const next = { ...issued, nodeName, lifeMs: deps.lifeMs, since };
  await deps.tokens.store(next);
  deps.replace(next);
};

/** Renews until `signal` aborts. A failure is told and tried again. */
export const renewToken = async (deps: RenewTokenDeps, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const waitMs = untilRenewalMs(deps.current(), deps.machineTime());
    await deps.clock.sleep(Math.min(waitMs, MOST_PAUSE_MS));
    if (signal.aborted || untilRenewalMs(deps.current(), deps.machineTime()) > 0) continue;
    try {
      await renew(deps);
    } catch (error) {
      deps.log('the token of this node could not be renewed', error);
      await deps.clock.sleep(RETRY_MS);
    }
  }
};
