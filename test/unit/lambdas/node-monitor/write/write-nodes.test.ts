import { expect, it } from 'vitest';
import type { Judgement, Viewpoint } from '../../../../../lambdas/node-monitor/judge/judgement.ts';
import { writeNodes } from '../../../../../lambdas/node-monitor/write/write-nodes.ts';
import type { ObjectWriter } from '../../../../../shared/store/writer/object-writer.ts';

const NODES = 1_000;
const CONCURRENCY = 4;
const TIME = 100;

/** Node `n<i>` has been silent for some milliseconds, shared by a few; each tenth is back, each hundredth needs no write. */
const judgementOf = (index: number): Judgement => {
  const health =
    index % 100 === 0
      ? ({ action: 'none' } as const)
      : index % 10 === 0
        ? ({ action: 'markReady' } as const)
        : ({ action: 'markUnknown', silentForMs: 40_000 + ((index * 37) % 250) } as const);
  return {
    row: { name: `n${index}` },
    health,
    ready: undefined,
    noExecute: { action: 'none' },
  } as unknown as Judgement;
};

const FLEET = Array.from({ length: NODES }, (_, index) => judgementOf(index));
const silenceOf = ({ health }: Judgement): number =>
  health.action === 'markUnknown' ? health.silentForMs : Number.POSITIVE_INFINITY;

/** Each write takes one unit of the clock. */
const writtenUntil = async (until: number) => {
  let [now, pauses] = [0, 0];
  const written: Judgement[] = [];
  const writer = {
    write: async ({ name }: { name: string }, decide: (row: undefined, at: number) => unknown) => {
      now += 1;
      written.push(FLEET[Number(name.slice(1))] as Judgement);
      decide(undefined, now);
      return { outcome: 'unchanged' };
    },
  } as unknown as ObjectWriter;
  const heartbeats = { read: async () => undefined, readRelay: async () => ({}) };
  const clock = { now: () => now, sleep: async () => undefined };
  const pause = async (): Promise<void> => {
    pauses += 1;
  };
  const deps = { clock, writer, heartbeats, pause };
  const view = { now: 0 } as unknown as Viewpoint;
  const result = await writeNodes(deps, FLEET, view, { until, concurrency: CONCURRENCY });
  return { ...result, written, pauses: () => pauses };
};

it('a pass writes the most urgent nodes first, and counts those for which it has no time', async () => {
  const { written, outcomes, postponed, pauses } = await writtenUntil(TIME);
  const expected = FLEET.filter(({ health }) => health.action !== 'none').toSorted(
    (a, b) => Math.min(silenceOf(b), 1e9) - Math.min(silenceOf(a), 1e9),
  );
  expect(written.length).toBeGreaterThanOrEqual(TIME);
  expect(written.length).toBeLessThan(TIME + CONCURRENCY);
  expect(written).toEqual(expected.slice(0, written.length));
  expect(outcomes.size).toBe(written.length);
  expect(postponed).toBe(expected.length - written.length);
  expect(pauses()).toBeGreaterThan(3);
});

it('a pass with time enough writes all that need it', async () => {
  const { written, postponed } = await writtenUntil(Number.POSITIVE_INFINITY);
  expect(written).toHaveLength(990);
  expect(postponed).toBe(0);
});
