import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { NODE_LEASE_NAMESPACE } from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { DEFAULTS } from '../../../../shared/settings/defaults.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { Beating } from '../../../../simulation/plane/beating-table.ts';
import { createBeatingTable } from '../../../../simulation/plane/beating-table.ts';
import { createIds } from '../../../../simulation/plane/ids.ts';
import { beatsBetween, lastBeat, silences } from '../../../../simulation/plane/schedule.ts';

const START = 1_767_657_600_000;
const END = START + 900_000;
const KEY = { namespace: NODE_LEASE_NAMESPACE, name: 'n1' };

const span = (most: number) =>
  fc.tuple(fc.nat(most), fc.integer({ min: 1, max: 200_000 })).map(([from, length]) => ({
    from: START + from,
    to: START + from + length,
  }));

const schedule = fc.record({
  startAt: fc.nat(10_000).map((phase) => START + phase),
  intervalMs: fc.constantFrom(1_000, 10_000, 15_000),
  jitterMs: fc.constantFrom(0, 500, 999),
  seed: fc.nat(),
  gaps: fc.oneof(
    fc.constant([]),
    span(600_000).map((gap) => [gap]),
  ),
  losses: fc.oneof(
    fc.constant([]),
    span(600_000).map((loss) => [{ ...loss, first: 0.2, last: 0.9 }]),
  ),
});

const beating: fc.Arbitrary<Beating> = fc.record({
  style: fc.constantFrom('plain', 'kubelet'),
  schedule,
  clockSkewMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
});

type Plane = ReturnType<typeof planeWith>;

const planeWith = (machine: Beating | undefined) => {
  const clock = createVirtualClock(START);
  const table = machine && createBeatingTable(clock, new Map([[KEY.name, machine]]));
  const state = createMemoryState(table ? { heartbeats: table } : {});
  return { clock, state, writer: createObjectWriter({ ...state, clock, ids: createIds() }) };
};

/** One call for each beat, as a machine makes it. */
const beatOnce = async ({ clock, state: { heartbeats } }: Plane, { style, clockSkewMs }: Beating) => {
  const at = clock.now();
  const expiresAt = at + DEFAULTS.heartbeatRetentionMs;
  const item = await heartbeats.read(KEY);
  if (style === 'plain') return heartbeats.beat({ node: KEY.name, source: 'plain', at, expiresAt });
  if (item?.uid === undefined) return undefined;
  const spec = { holderIdentity: KEY.name, leaseDurationSeconds: 40, renewTime: toTime(at + clockSkewMs) };
  const lease = { uid: `lease-${KEY.name}`, createdAt: at, spec, metadata: {} };
  const expected = item.lease && item.version !== undefined ? { expected: item.version } : {};
  return heartbeats.writeLease({ key: KEY, lease, at, nodeUid: item.uid, expiresAt, ...expected });
};

const act = async ({ clock, state: { heartbeats }, writer }: Plane, action: string) => {
  const node = { resource: 'nodes', namespace: '', name: KEY.name };
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: KEY.name, uid: 'u1' } };
  if (action === 'create')
    await writer.write(node, (row) =>
      row?.state === 'live' ? undefined : { next: object, writer: 'client' },
    );
  if (action === 'delete')
    await writer.write(node, (row) =>
      row?.state === 'live' ? { next: 'delete', writer: 'client' } : undefined,
    );
  if (action === 'bump') await heartbeats.bumpWorkRevision(KEY.name, clock.now());
};

const seen = async ({ state: { heartbeats } }: Plane) => {
  const scanned: unknown[] = [];
  for await (const { value } of heartbeats.scan())
    scanned.push(...value.map((item) => structuredClone(item)));
  return { read: await heartbeats.read(KEY), scanned };
};

const steps = fc.array(
  fc.tuple(fc.nat(900_000), fc.constantFrom('look', 'look', 'create', 'delete', 'bump')),
  { maxLength: 25 },
);

describe('beats that are computed when they are read', () => {
  it('look to every reader as if each beat had been stored', async () => {
    await fc.assert(
      fc.asyncProperty(beating, steps, async (machine, given) => {
        const [lazy, eager] = [planeWith(machine), planeWith(undefined)];
        const actions = [[1, 'create'] as const, ...given].toSorted(([a], [b]) => a - b);
        let at = START;
        for (const [offset, action] of actions) {
          for (const beatAt of beatsBetween(machine.schedule, at, START + offset)) {
            eager.clock.advance(beatAt - eager.clock.now());
            await beatOnce(eager, machine);
          }
          at = START + offset;
          for (const plane of [lazy, eager]) {
            plane.clock.advance(at - plane.clock.now());
            await act(plane, action);
          }
          expect(await seen(lazy)).toEqual(await seen(eager));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are the last beats of their schedule', () => {
    fc.assert(
      fc.property(schedule, fc.nat(900_000), fc.nat(900_000), (given, a, b) => {
        const [after, now] = [START + Math.min(a, b), START + Math.max(a, b)];
        expect(lastBeat(given, now, after)).toBe([...beatsBetween(given, after, now)].at(-1));
      }),
      { numRuns: 500 },
    );
  });

  it('are silent exactly while no beat is sent', () => {
    fc.assert(
      fc.property(schedule, (given) => {
        const instants = [START, ...beatsBetween(given, START, END), END];
        const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
        const long = gaps.filter((gap) => gap > 40_000);
        expect(silences(given, START, END, 40_000).map(({ from, to = END }) => to - from)).toEqual(long);
      }),
    );
  });
});
