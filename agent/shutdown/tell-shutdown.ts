/** Keeps the control plane informed of how far a shutdown is. */

import type { ShutdownApi } from '../ports/api/shutdown-api.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { ShutdownProgress, ToldShutdown } from '../rules/shutdown/shutting-down.ts';

const AGAIN_MS = 1_000;

export interface TellShutdownDeps {
  readonly api: ShutdownApi;
  readonly clock: Clock;
  readonly log: Log;
  /** All grace periods of the configuration together. */
  readonly totalSeconds: number;
  /** A name that no other shutdown has. */
  newId(): string;
}

export interface ShutdownTeller {
  /** A phase has begun; `undefined`: no shutdown goes on. */
  tell(progress: ShutdownProgress | undefined): void;
  /** Tells nothing more. */
  stop(): void;
}

/** What is to be told: a phase with the instant (uptime, ms) at which it began, or the end. */
type News = { readonly report: ToldShutdown; readonly uptime: number } | 'end';

/** One request at a time, so that they arrive in order; of what comes meanwhile only the last is told. */
export const createShutdownTeller = ({
  api,
  clock,
  log,
  totalSeconds,
  newId,
}: TellShutdownDeps): ShutdownTeller => {
  let id: string | undefined;
  let next: News | undefined;
  let isSending = false;
  let isStopped = false;

  const newsOf = ({ phase, phases, phaseEndsAt, endsAt }: ShutdownProgress): News => {
    id ??= newId();
    const seconds = (at: number): number => Math.ceil(Math.max(0, at - clock.now()) / 1000);
    const left = { phaseSeconds: seconds(phaseEndsAt), remainingSeconds: seconds(endsAt) };
    return { report: { id, phase, phases, ...left, totalSeconds }, uptime: clock.uptime() };
  };

  const send = (news: News): Promise<boolean> => {
    if (news === 'end') return api.end();
    const spent = Math.floor((clock.uptime() - news.uptime) / 1000);
    const { phaseSeconds, remainingSeconds } = news.report;
    return api.report({
      ...news.report,
      phaseSeconds: Math.max(0, phaseSeconds - spent),
      remainingSeconds: Math.max(0, remainingSeconds - spent),
    });
  };

  const sendAll = async (): Promise<void> => {
    while (next !== undefined && !isStopped) {
      const news = next;
      try {
        await send(news);
        if (next === news) next = undefined;
      } catch (error) {
        log('the control plane was not told how far the shutdown is, and is told again', error);
        await clock.sleep(AGAIN_MS);
      }
    }
    isSending = false;
  };

  return {
    tell: (progress) => {
      // The deadline of the last phase holds until the machine is off.
      if (progress?.phase === 0) return;
      next = progress ? newsOf(progress) : 'end';
      if (!progress) id = undefined;
      if (isSending) return;
      isSending = true;
      void sendAll();
    },
    stop: () => {
      isStopped = true;
    },
  };
};
