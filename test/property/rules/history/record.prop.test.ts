import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_HISTORY, pageAfter, withPage } from '../../../../shared/rules/history/history-page.ts';
import { fleetAt } from '../../../../shared/rules/history/record.ts';
import { HistoryRecorder, type NodeChange } from '../../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../../shared/rules/history/seen-node.ts';
import { readyShare, zoneSteps } from '../../../../shared/rules/history/zone-steps.ts';

const T = 1_000_000;
const NODES = ['n1', 'n2', 'n3', 'n4'];

const anySeen: fc.Arbitrary<SeenNode> = fc.record({
  zone: fc.constantFrom('a', 'b'),
  ready: fc.constantFrom('True', 'False', 'Unknown', '-'),
  noExecute: fc.constantFrom([], ['k']),
  isCordoned: fc.boolean(),
  isDraining: fc.boolean(),
  isShuttingDown: fc.boolean(),
  isCounted: fc.boolean(),
});

/** Changes with revisions that rise, and instants that may go back as clocks do. */
const anyChanges: fc.Arbitrary<readonly NodeChange[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...NODES),
      step: fc.integer({ min: -50, max: 200 }),
      seen: fc.option(anySeen, { nil: undefined }),
    }),
    { maxLength: 60 },
  )
  .map((rows) => {
    let at = T;
    return rows.map(({ name, step, seen }, place) => {
      at += step;
      return { revision: place + 2, at, name, seen };
    });
  });

const recorded = (
  changes: readonly NodeChange[],
  limits?: ConstructorParameters<typeof HistoryRecorder>[0],
) => {
  const recorder = new HistoryRecorder(limits);
  recorder.begin({ revision: 1, at: T, nodes: [] });
  for (const change of changes) recorder.change(change);
  return recorder.record();
};

/** The fleet by the plainest means: each change counts from the latest instant that was told up to it. */
const replayed = (changes: readonly NodeChange[], until: number): ReadonlyMap<string, SeenNode> => {
  const fleet = new Map<string, SeenNode>();
  let latest = T;
  for (const { at, name, seen } of changes) {
    latest = Math.max(latest, at);
    if (latest > until) break;
    if (seen) fleet.set(name, seen);
    else fleet.delete(name);
  }
  return fleet;
};

describe('the record of a fleet', () => {
  it('J-250 at any instant is what a replay until then gives', () => {
    fc.assert(
      fc.property(anyChanges, fc.nat(), (changes, after) => {
        const record = recorded(changes);
        const at = record.since + (after % (record.until - record.since + 1));
        expect(new Map(fleetAt(record, at))).toEqual(new Map(replayed(changes, at)));
      }),
    );
  });

  it('J-251 is the same when changes are told again', () => {
    fc.assert(
      fc.property(anyChanges, fc.array(fc.nat(), { maxLength: 20 }), (changes, again) => {
        const doubled = changes.flatMap((change, place) => {
          const before = again.map((one) => changes[one % (place + 1)] ?? change);
          return [change, ...before];
        });
        expect(recorded(doubled)).toEqual(recorded(changes));
      }),
    );
  });

  it('J-254 is the same from its beginning on, however little of it is kept', () => {
    fc.assert(
      fc.property(anyChanges, fc.integer({ min: 1, max: 20 }), fc.nat(), (changes, mostChanges, after) => {
        const record = recorded(changes, { mostChanges, mostEvictions: 10, keepMs: 10_000_000 });
        const at = record.since + (after % (record.until - record.since + 1));
        expect(record.changes.length).toBeLessThanOrEqual(1.1 * mostChanges + 1);
        expect(new Map(fleetAt(record, at))).toEqual(new Map(replayed(changes, at)));
      }),
    );
  });

  it('J-251 in pages is the record, however it grows in between', () => {
    fc.assert(
      fc.property(anyChanges, anyChanges, fc.integer({ min: 1, max: 9 }), (first, second, most) => {
        const recorder = new HistoryRecorder({ mostChanges: 30, mostEvictions: 10, keepMs: 10_000_000 });
        recorder.begin({ revision: 1, at: T, nodes: [] });
        let copy = NO_HISTORY;
        const read = (): void => {
          for (let isWhole = false; !isWhole; ) {
            const page = pageAfter(recorder.record(), recorder.epoch, copy.position, most);
            copy = withPage(copy, page);
            isWhole = page.isWhole;
          }
        };
        for (const change of first) recorder.change(change);
        read();
        for (const change of second) recorder.change({ ...change, revision: change.revision + 100 });
        read();
        expect(copy.record).toEqual(recorder.record());
      }),
    );
  });

  it('J-259 has in each step of a zone as many nodes as the fleet has then', () => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const record = recorded(changes);
        for (const [zone, steps] of zoneSteps(record, record.since, record.until))
          for (const step of steps) {
            const there = [...(fleetAt(record, step.at)?.values() ?? [])].filter(
              (seen) => seen.zone === zone,
            );
            const ready = there.filter((seen) => seen.ready === 'True').length;
            expect(step.ready + step.notReady + step.unknown + step.silent).toBe(there.length);
            expect(readyShare(step)).toBe(there.length === 0 ? 1 : ready / there.length);
          }
      }),
    );
  });
});
