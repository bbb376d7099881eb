import { describe, expect, it } from 'vitest';
import type { Logind } from '../../../../agent/ports/machine/logind.ts';
import { createLinuxShutdown } from '../../../../agent/shutdown/linux-shutdown.ts';
import { shutdownDeps } from '../../../support/agent/shutdown/shutdown-deps.ts';

/** A logind that tells what is asked of it, gives at most these locks, and announces each second the next of these. */
const fakeLogind = (
  sleep: (ms: number) => Promise<void>,
  tell: (what: string) => void,
  locks: readonly ('given' | 'refused')[],
  announced: readonly boolean[],
): Logind => {
  let taken = 0;
  const left = [...announced];
  return {
    connect: async () => {
      tell('connect');
      let isClosed = false;
      return {
        inhibitDelayMs: async () => 60_000,
        overrideInhibitDelay: async () => {},
        reload: async () => {},
        inhibitShutdown: async () => {
          const number = ++taken;
          if (locks[number - 1] === 'refused') throw new Error('refused');
          tell(`lock ${number}`);
          return { release: async () => tell(`release ${number}`) };
        },
        announcements: async () =>
          (async function* () {
            while (!isClosed) {
              await sleep(1000);
              const next = left.shift();
              if (next !== undefined) yield next;
            }
          })(),
        close: async () => {
          isClosed = true;
        },
      };
    },
  };
};

const setUp = (
  locks: readonly ('given' | 'refused')[],
  announced: readonly boolean[],
  given = shutdownDeps([[0, 5]], []),
) => {
  const { clock, deps, happened } = given;
  const tell = (what: string): void => void happened.push(`${clock.now() / 1000} ${what}`);
  const logind = fakeLogind(clock.sleep, tell, locks, announced);
  const shutdown = createLinuxShutdown({ ...deps, logind });
  const locking = (): readonly string[] => happened.filter((line) => /connect|lock|release|delay/.test(line));
  return { clock, shutdown, locking, happened };
};

describe('a node on Linux', () => {
  it('connects again for a lock when it gets none after a cancellation', async () => {
    const { clock, shutdown, locking } = setUp(['given', 'refused', 'given'], [true, false]);
    await shutdown.start();
    await clock.run(clock.sleep(3500));
    expect(locking()).toEqual([
      '0 connect',
      '0 lock 1',
      '1 release 1',
      '2 Failed to delay the next shutdown',
      '3 connect',
      '3 lock 3',
      '3 release 1',
    ]);
  });

  /** What happens to a pod that takes a second to end, and whose last status takes these seconds to arrive. */
  const ended = async (reportSeconds: number) => {
    const given = shutdownDeps([[0, 8]], [['a', 0, 1]], { reserveSeconds: 2, reportSeconds });
    const { clock, shutdown, happened } = setUp(['given'], [true], given);
    await shutdown.start();
    await clock.run(clock.sleep(60_000));
    return happened.filter((line) => /decided|end |ended a$|report|release|answered/.test(line));
  };

  it('stores what it decides before the first signal, and holds the lock until the API knows', async () => {
    expect(await ended(3)).toEqual([
      '1 decided a',
      '1 end a in 8 s',
      '2 ended a',
      '5 reported a',
      '5 release 1',
    ]);
  });

  it('lets the machine go when the time is over, whether the API knows or not', async () => {
    expect(await ended(40)).toEqual([
      '1 decided a',
      '1 end a in 8 s',
      '2 ended a',
      '11 The time is over, and the API has not answered the last statuses of all pods',
      '11 release 1',
      '42 reported a',
    ]);
  });

  it('lets the machine go and connects no more when it is stopped', async () => {
    const { clock, shutdown, locking } = setUp([], []);
    await shutdown.start();
    await clock.run(shutdown.stop());
    await clock.run(clock.sleep(5000));
    expect(locking()).toEqual(['0 connect', '0 lock 1', expect.stringMatching(/ release 1$/)]);
  });
});
