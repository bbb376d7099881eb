/** Renews the Lease of this machine's Node for ever. Source: kubernetes v1.34 component-helpers `lease/controller.go`. */
import type { Lease } from '../../shared/kube/types/coordination.ts';
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import type { LeaseApi } from '../ports/api/lease-api.ts';
import type { Clock } from '../ports/machine/clock.ts';
import { type LeaseSettings, needsOwner, renewedLease } from '../rules/node-status/lease.ts';

export interface LeaseDeps {
  readonly leases: LeaseApi;
  readonly settings: LeaseSettings;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Milliseconds until the next renewal. It is asked after each one. */
  pauseMs(): number;
  /** Closes idle connections: several tries in a row have failed, and one of the connections may be dead. */
  resetConnections(): void;
  /** What went wrong and is tried again. */
  warn(problem: string, error?: unknown): void;
  /** A shutdown of the machine does not abort it: the node beats until the agent ends. */
  readonly signal: AbortSignal;
}

const prepared = async (base: Lease | undefined, { leases, settings, clock }: LeaseDeps): Promise<Lease> => {
  const uid = needsOwner(base) ? await leases.nodeUid() : undefined;
  return renewedLease(base, settings, clock.now(), uid);
};

interface Ensured {
  /** `undefined`: there is none for now, because the Node does not exist yet. */
  readonly lease: Lease | undefined;
  readonly isNew: boolean;
}

const ensure = async (deps: LeaseDeps): Promise<Ensured> => {
  const existing = await deps.leases.get();
  if (existing) return { lease: existing, isNew: false };
  let wanted: Lease;
  try {
    wanted = await prepared(undefined, deps);
  } catch (error) {
    deps.warn('there is no Node for the Lease yet', error);
    return { lease: undefined, isNew: false };
  }
  return { lease: await deps.leases.create(wanted), isNew: true };
};

const RETRY: BackOffDelays = { firstMs: 200, mostMs: 7_000 };

const ensureWithBackOff = async (deps: LeaseDeps): Promise<Ensured> => {
  for (let tries = 0; !deps.signal.aborted; tries += 1) {
    try {
      return await ensure(deps);
    } catch (error) {
      deps.warn('the Lease could not be read or created', error);
      await deps.clock.sleep(backOff(RETRY, tries));
    }
  }
  return { lease: undefined, isNew: false };
};

/** Tries of one renewal, without a pause between them. */
const TRIES = 5;

const tryUpdate = async (
  base: Lease | undefined,
  deps: LeaseDeps,
): Promise<Lease | 'conflict' | 'failed'> => {
  try {
    return await deps.leases.update(await prepared(base, deps));
  } catch (error) {
    deps.warn('the Lease could not be renewed', error);
    return 'failed';
  }
};

/** The Lease as the server has it; `undefined`: every try has failed. */
const update = async (known: Lease, deps: LeaseDeps): Promise<Lease | undefined> => {
  let base: Lease | undefined = known;
  for (let index = 0; index < TRIES; index += 1) {
    const answer = await tryUpdate(base, deps);
    if (typeof answer === 'object') return answer;
    if (answer === 'conflict') base = (await ensureWithBackOff(deps)).lease;
    else if (index > 0) deps.resetConnections();
  }
  return undefined;
};

/** One renewal. Takes and returns the Lease as it was last seen. */
const renew = async (latest: Lease | undefined, deps: LeaseDeps): Promise<Lease | undefined> => {
  // Hardly anybody else writes this Lease, so that it need not be read first.
  const updated = latest && (await update(latest, deps));
  if (updated) return updated;
  const { lease, isNew } = await ensureWithBackOff(deps);
  if (isNew || !lease) return lease;
  return (await update(lease, deps)) ?? lease;
};

/** Renews until `signal` aborts. Never rejects. */
export const renewLease = async (deps: LeaseDeps): Promise<void> => {
  let latest: Lease | undefined;
  while (!deps.signal.aborted) {
    latest = await renew(latest, deps);
    await deps.clock.sleep(deps.pauseMs());
  }
};
