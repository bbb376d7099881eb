import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../../cli/doctor/facts/verdict.ts';
import {
  Refused,
  type Seen,
  type SmokeCluster,
  type SmokeDeps,
  Stopped,
} from '../../../../cli/doctor/smoke/ports.ts';
import { smokeTest } from '../../../../cli/doctor/smoke/smoke-test.ts';

const GRACE_MS = 40_000;
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** A cluster with one node, and what of it has gone wrong. Instants are ms of a clock that only waiting moves. */
interface World {
  /** Looks at the node as a healthy cluster has it, and says how it is. */
  readonly seen?: (healthy: Seen, now: number) => Seen | undefined;
  /** Goes before a request; throws if that fails. */
  readonly before?: (request: keyof SmokeCluster, now: number) => void;
  readonly told?: { readonly verdict: string; readonly message: string };
  readonly others?: readonly string[];
  readonly stopsAt?: number;
}

const healthyAt = (now: number, beatAt: number | undefined): Seen => {
  if (beatAt === undefined) return { ready: '', noExecute: [] };
  const isSilent = now - beatAt >= GRACE_MS + 2_000;
  return isSilent ? { ready: 'Unknown', noExecute: [UNREACHABLE] } : { ready: 'True', noExecute: [] };
};

const run = async ({ seen = (is) => is, before = () => {}, told, others = [], stopsAt }: World) => {
  let [now, isThere, beatAt]: [number, boolean, number | undefined] = [0, false, undefined];
  const verdicts: Verdict[] = [];
  const cluster: SmokeCluster = {
    others: async () => {
      before('others', now);
      return others;
    },
    register: async () => {
      before('register', now);
      isThere = true;
    },
    enrol: async () => before('enrol', now),
    beat: async () => {
      before('beat', now);
      beatAt = now;
      return GRACE_MS;
    },
    look: async () => {
      before('look', now);
      return isThere ? seen(healthyAt(now, beatAt), now) : undefined;
    },
    explain: async () => told,
    remove: async () => {
      before('remove', now);
      isThere = false;
    },
  };
  const deps: SmokeDeps = {
    node: 'rollcall-smoke-1',
    cluster,
    now: () => now,
    wait: async (ms) => {
      now += ms;
    },
    checkStopped: () => {
      if (stopsAt !== undefined && now >= stopsAt) throw new Stopped();
    },
    tell: (verdict) => void verdicts.push(verdict),
  };
  await smokeTest(deps);
  const lines = verdicts.map(({ status, words }) => `${status} ${words}`);
  return { lines, bad: verdicts.filter(({ status }) => status !== 'ok'), isThere, now };
};

const lost = (): never => {
  throw new Error('ECONNREFUSED');
};

describe('the smoke test', () => {
  it('gives a node a life, and says how long each part took', async () => {
    const { lines, isThere } = await run({});
    expect(lines).toEqual([
      'ok rollcall-smoke-1 is registered, 0.0 s',
      'ok Ready by a beat, 0.0 s',
      'ok silent, with a grace period of 40 s: Unknown, 42.0 s',
      `ok tainted ${UNREACHABLE}:NoExecute, 0.0 s`,
      'ok Ready by a beat again, and not tainted, 0.0 s',
      'ok rollcall-smoke-1 is deleted, 0.0 s',
    ]);
    expect(isThere).toBe(false);
  });

  it.each<[string, World, RegExp, RegExp]>([
    [
      'never Ready',
      {
        seen: () => ({ ready: '', noExecute: [] }),
        told: { verdict: 'NeverReported', message: 'never reported' },
      },
      /^not Ready by a beat within 15\.0 s; the API says: never reported$/,
      /node-monitor-silent/,
    ],
    [
      'never Unknown',
      { seen: () => ({ ready: 'True', noExecute: [] }) },
      /^silent, with a grace period of 40 s, and not Unknown within 50\.0 s$/,
      /does a policy give nodes a longer grace period/,
    ],
    [
      'Unknown too early',
      { seen: (is, now) => (now > 12_000 ? { ...is, ready: 'Unknown' } : is) },
      /^Unknown after 12\.5 s, before the grace period of 40 s was over$/,
      /a shorter grace period/,
    ],
    [
      'not tainted',
      { seen: (is) => ({ ...is, noExecute: [] }), told: { verdict: 'WaitsForTaint', message: 'waits' } },
      /^Unknown, and not tainted .*unreachable:NoExecute within 15\.0 s; the API says: waits$/,
      /node-eviction-age/,
    ],
    [
      'not back: it stays Unknown',
      { seen: (is, now) => (now >= 42_000 ? { ready: 'Unknown', noExecute: [UNREACHABLE] } : is) },
      /^neither Ready nor without its taint by a beat within 15\.0 s/,
      /node-monitor-silent/,
    ],
    [
      'not back: it keeps its taint',
      { seen: (is, now) => (now >= 42_000 ? { ...is, noExecute: [UNREACHABLE] } : is) },
      /^neither Ready nor/,
      /node-monitor-silent/,
    ],
    [
      'deleted by somebody',
      { seen: (is, now) => (now > 20_000 ? undefined : is) },
      /^rollcall-smoke-1 was deleted by somebody else$/,
      /which client or cloud/,
    ],
    [
      'refused a beat',
      {
        before: (request) => {
          if (request === 'beat') throw new Refused('403 no');
        },
      },
      /^a beat has failed: 403 no$/,
      /heartbeat-server-errors/,
    ],
    [
      'not heard',
      { before: (request) => (request === 'beat' ? lost() : undefined) },
      /^a beat has failed: ECONNREFUSED$/,
      /heartbeat-server-errors/,
    ],
    [
      'refused a token',
      {
        before: (request) => {
          if (request === 'enrol') throw new Refused('403 no');
        },
      },
      /^rollcall-smoke-1 gets no token: 403 no$/,
      /rollcall token --admin/,
    ],
    [
      'not seen any more',
      { before: (request, now) => (request === 'look' && now > 20_000 && now < 60_000 ? lost() : undefined) },
      /not Unknown within 50\.0 s, as far as is known: ECONNREFUSED$/,
      /does the API answer/,
    ],
  ])('says that its node is %s, why and what to do, and deletes it', async (_what, world, words, remedy) => {
    const { bad, lines, isThere } = await run(world);
    expect(bad).toEqual([
      {
        check: 'smoke',
        status: 'fail',
        words: expect.stringMatching(words),
        remedy: expect.stringMatching(remedy),
      },
    ]);
    expect([isThere, lines.at(-1)]).toEqual([
      false,
      expect.stringMatching(/^ok rollcall-smoke-1 is deleted/),
    ]);
  });

  it('bears that requests fail for some seconds', async () => {
    const { bad } = await run({ before: (_, now) => (now > 10_000 && now < 20_000 ? lost() : undefined) });
    expect(bad).toEqual([]);
  });

  it('warns only if the rules hold taints back, as when all zones are down, and goes on', async () => {
    const told = { verdict: 'HeldByZone', message: 'all zones are down' };
    const { bad, lines } = await run({ seen: (is) => ({ ...is, noExecute: [] }), told });
    expect(bad.map(({ status, words }) => `${status} ${words}`)).toEqual([
      expect.stringMatching(/^warn Unknown, and not tainted .*; the API says: all zones are down$/),
    ]);
    expect(lines.at(-2)).toMatch(/^ok Ready by a beat again/);
  });

  it.each<[string, World, RegExp]>([
    [
      'the API cannot be reached',
      { before: (request) => (request === 'remove' ? lost() : undefined) },
      /^rollcall-smoke-1 could not be deleted, and is left: ECONNREFUSED$/,
    ],
    [
      'the API refuses',
      {
        before: (request) => {
          if (request === 'remove') throw new Refused('403 no');
        },
      },
      /and is left: 403 no$/,
    ],
  ])('names its node if it cannot be deleted, because %s', async (_what, world, words) => {
    const { bad } = await run(world);
    expect(bad).toEqual([
      {
        check: 'smoke',
        status: 'fail',
        words: expect.stringMatching(words),
        remedy: 'kubectl delete node rollcall-smoke-1',
      },
    ]);
  });

  it('names its node if something holds it, and tries the deletion again if a try fails', async () => {
    let tries = 0;
    const again = await run({
      before: (request) => {
        if (request === 'remove' && ++tries < 4) lost();
      },
    });
    expect([again.bad, again.lines.at(-1)]).toEqual([[], 'ok rollcall-smoke-1 is deleted, 6.0 s']);
    const { bad } = await run({
      seen: (is) => is,
      before: (request, now) => {
        if (request === 'remove' && now > 0) throw new Error('held by a finalizer');
      },
    });
    expect(bad[0]?.words).toMatch(/is left: held by a finalizer$/);
  });

  it('deletes a node of whose registration nobody knows, also if it comes later, and none that was refused', async () => {
    const unsure = await run({ before: (request) => (request === 'register' ? lost() : undefined) });
    expect(unsure.lines).toEqual([
      'fail rollcall-smoke-1 cannot be registered: ECONNREFUSED',
      'ok rollcall-smoke-1 is deleted, 16.0 s',
    ]);
    const refused = await run({
      before: (request) => {
        if (request === 'register') throw new Refused('403 no');
      },
    });
    expect(refused.lines).toEqual(['fail rollcall-smoke-1 cannot be registered: 403 no']);
  });

  it('deletes its node when somebody stops it, and does not begin if that was before', async () => {
    const during = await run({ stopsAt: 20_000 });
    expect(during.lines.slice(-2)).toEqual([
      'fail stopped before its end',
      'ok rollcall-smoke-1 is deleted, 0.0 s',
    ]);
    expect((await run({ stopsAt: 0 })).lines).toEqual(['fail stopped before its end']);
  });

  it('names what earlier tests have left, and leaves it: another test may be running', async () => {
    const { bad } = await run({ others: ['rollcall-smoke-a', 'rollcall-smoke-b'] });
    expect(bad).toEqual([
      {
        check: 'smoke',
        status: 'warn',
        words: 'left of an earlier test, unless one runs now: rollcall-smoke-a, rollcall-smoke-b',
        remedy: 'kubectl delete node rollcall-smoke-a rollcall-smoke-b',
      },
    ]);
  });

  it('registers nothing if nodes cannot be listed', async () => {
    const { lines } = await run({ before: (request) => (request === 'others' ? lost() : undefined) });
    expect(lines).toEqual(['fail nodes cannot be listed: ECONNREFUSED']);
  });
});
