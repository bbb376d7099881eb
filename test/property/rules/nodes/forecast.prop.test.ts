import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { type Absence, withAbsence } from '../../../../shared/rules/absences/absence.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import type { RelayedAge } from '../../../../shared/rules/relays/relay-items.ts';
import { nextSteps } from '../../../../shared/rules/roll-call/next-steps.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { readRollCall } from '../../../../terminal/roll-call/roll-call-view.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const PART = { relay: 'site-a', part: 0 };

interface Member {
  readonly ready: 'True' | 'False' | undefined;
  readonly source: 'plain' | 'status' | 'lease' | 'relay' | 'none';
  readonly leaseSeconds: number;
  readonly ageMs: number;
  readonly pool: 'slow' | 'quick' | undefined;
}

const ages = fc.integer({ min: 0, max: 39_000 });

const members: fc.Arbitrary<Member> = fc.record({
  ready: fc.constantFrom('True', 'True', 'False', undefined),
  source: fc.constantFrom('plain', 'status', 'lease', 'relay', 'none'),
  leaseSeconds: fc.constantFrom(40, 60, 8),
  ageMs: ages,
  pool: fc.constantFrom('slow', 'quick', undefined, undefined),
});

/** Absences as they lie before now, ms: how long ago the host was back, how long it was away, how long before a beat was lost. */
const pasts = fc.array(
  fc.record({
    agoMs: ages,
    awayMs: fc.integer({ min: 1, max: 90_000 }),
    lostMs: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  }),
  { maxLength: 3 },
);

const absencesOf = (past: typeof pasts extends fc.Arbitrary<infer T> ? T : never, now: number) =>
  past
    .map(({ agoMs, awayMs, lostMs }): Absence => {
      const [backAt, goneAt] = [now - agoMs, now - agoMs - awayMs];
      return { goneAt, backAt, ...(lostMs !== undefined && { lostAt: Math.min(backAt, goneAt + lostMs) }) };
    })
    .toSorted((a, b) => a.backAt - b.backAt)
    .reduce<readonly Absence[]>(withAbsence, []);

const beats = async (plane: ControlPlane, name: string, { source, ageMs, leaseSeconds }: Member) => {
  const at = plane.clock.now() - ageMs;
  const { heartbeats } = plane.state;
  if (source === 'plain' || source === 'status')
    await heartbeats.beat({ node: name, source, at, expiresAt: at + DAY });
  if (source === 'lease') {
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds };
    const lease = { uid: name, createdAt: at, spec, metadata: {} };
    await heartbeats.writeLease({ key: fleet.leaseKey(name), lease, at });
  }
};

const relayed = async (plane: ControlPlane, fleetOf: readonly Member[]): Promise<void> => {
  const { heartbeats } = plane.state;
  const untilAt = plane.clock.now() + DAY;
  const [entries, aged]: [{ name: string; uid: string; untilAt: number; since: number }[], RelayedAge[]] = [
    [],
    [],
  ];
  for (const [place, { source, ageMs }] of fleetOf.entries()) {
    if (source !== 'relay') continue;
    const uid = (await heartbeats.read(fleet.leaseKey(`n${place}`)))?.uid ?? '';
    await heartbeats.joinRelay(`n${place}`, uid, PART);
    entries.push({ name: `n${place}`, uid, untilAt, since: 1 });
    aged.push({ ageMs, isPlain: false });
  }
  await heartbeats.replaceRoster(PART, undefined, { revision: 1, entries }, untilAt);
  const batch = { sequence: 1, receivedAt: plane.clock.now(), roster: 1, ages: packAges(aged) };
  await heartbeats.replaceRelayed(PART, undefined, batch, untilAt);
};

const world = async (
  fleetOf: readonly Member[],
  past: Parameters<typeof absencesOf>[0],
  floorAgoMs: number | undefined,
): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  for (const [pool, seconds] of [['slow', 70] as const, ['quick', 12] as const])
    await fleet.setPolicy(plane, pool, {
      nodeSelector: { matchLabels: { pool } },
      nodeMonitorGracePeriodSeconds: seconds,
      nodeStartupGracePeriodSeconds: seconds,
    });
  for (const [place, { ready, pool }] of fleetOf.entries())
    await fleet.addNode(plane, `n${place}`, {
      ...(ready && { ready }),
      ...(pool && { labels: { pool } }),
    });
  plane.clock.advance(60 * SECOND + 123);
  for (const [place, member] of fleetOf.entries()) await beats(plane, `n${place}`, member);
  await relayed(plane, fleetOf);
  const now = plane.clock.now();
  plane.state.absences.recordAbsences(absencesOf(past, now));
  if (floorAgoMs !== undefined) await plane.state.control.raiseClockFloor(now - floorAgoMs, 0);
  return plane;
};

/** Runs all passes until `until`, and tells which of them found each node silent. */
const passesUntil = async (plane: ControlPlane, names: readonly string[], until: number) => {
  const { clock, config } = plane;
  const found = new Map<string, number>();
  const period = config.nodeMonitorPeriodMs;
  for (let at = Math.ceil(clock.now() / period) * period; at <= until; at += period) {
    clock.advance(at - clock.now());
    await clock.run(runPass({ ...plane.invoke(), config }, at));
    for (const name of names)
      if (!found.has(name) && (await fleet.readyOf(plane, name)) === 'Unknown') found.set(name, at);
  }
  return found;
};

const HORIZON_MS = 120 * SECOND;

test('each forecast of the table is the pass that finds the node silent, over policies, relays, clock floors and absences (S-04, G-03, G-19, J-269)', async () => {
  let [compared, told] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(members, { minLength: 1, maxLength: 8 }),
      pasts,
      fc.option(ages, { nil: undefined }),
      async (fleetOf, past, floorAgoMs) => {
        const plane = await world(fleetOf, past, floorAgoMs);
        const { clock, config, state } = plane;
        const view = await readRollCall({ ...state, config }, clock.now(), 0);
        const forecast = new Map(view.nodes.map(({ name, unknownAt }) => [name, unknownAt]));
        const steps = nextSteps(view, config).filter(({ kind }) => kind === 'unknown');
        expect(steps.map(({ at }) => at)).toEqual(steps.map(({ node }) => forecast.get(node)));
        told += steps.length;
        const until = clock.now() + HORIZON_MS;
        const found = await passesUntil(plane, [...forecast.keys()], until);
        for (const [name, at] of forecast) {
          // A direct node that has just beaten is made ready by the next pass: something else happens.
          if (fleetOf[Number(name.slice(1))]?.ready === undefined) continue;
          expect([name, found.get(name)]).toEqual([name, at !== undefined && at <= until ? at : undefined]);
          compared += 1;
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(60);
  expect(told).toBeGreaterThan(5);
}, 120_000);
