import { describe, expect, it } from 'vitest';
import { HistoryRecorder } from '../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../shared/rules/history/seen-node.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../shared/settings/node-lifecycle.ts';
import { planOfRecord, simulateFleet } from '../../../simulation/recorded-fleet.ts';

const T = 1_767_657_600_000;
const seen = (
  zone: string,
  ready: SeenNode['ready'] = 'True',
  noExecute: readonly string[] = [],
): SeenNode => ({
  zone,
  ready,
  noExecute,
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  isCounted: true,
});
const NAMES = ['1', '2', '3', '4', '5', '6'].flatMap((number) =>
  ['a', 'b'].map((zone) => `${zone}${number}`),
);
const LOST = ['b1', 'b2'];

/** Two nodes of zone b are lost after five minutes, tainted ten seconds apart, and back after ten. */
const record = () => {
  const recorder = new HistoryRecorder();
  recorder.begin({ revision: 1, at: T, nodes: NAMES.map((name) => [name, seen(name.slice(0, 1))]) });
  let revision = 1;
  const change = (after: number, name: string, state: SeenNode): void => {
    revision += 1;
    recorder.change({ revision, at: T + after * 1_000, name, seen: state });
  };
  for (const name of LOST) change(343, name, seen('b', 'Unknown'));
  for (const [place, name] of LOST.entries()) change(348 + 10 * place, name, seen('b', 'Unknown', ['k']));
  recorder.evict('u1', { at: T + 408_000, node: 'b1', pod: 'default/p1', reason: 'DeletionByTaintManager' });
  for (const name of LOST) change(900, name, seen('b'));
  recorder.seenUntil(T + 1_200_000);
  return recorder.record();
};

const kinds = (happenings: readonly { readonly kind: string }[], kind: string): number =>
  happenings.filter((one) => one.kind === kind).length;

describe('a recorded fleet', () => {
  const pods = [{ name: 'default/p2', node: 'b2', toleration: 300, createdAt: T - 1 }] as const;
  const planned = planOfRecord(record(), NODE_LIFECYCLE_DEFAULTS, pods);

  it('has the machines, their silences and their pods', () => {
    const [first] = (planned?.plan.machines ?? []).filter(({ name }) => name === 'b1');
    expect(planned?.plan.machines).toHaveLength(12);
    expect(first?.beating.schedule.gaps).toEqual([{ from: T + 300_501, to: T + 890_000 }]);
    expect(planned?.plan.pods).toEqual([
      { name: 'default.p1', node: 'b1', toleration: 60 },
      { name: 'default.p2', node: 'b2', toleration: 300 },
    ]);
    expect(planned?.notes).toEqual([]);
  });

  it('fares under its own settings as it did, and otherwise under others', async () => {
    if (!planned) throw new Error('no plan');
    const settings = NODE_LIFECYCLE_DEFAULTS;
    const fleet = { rollcall: 'fleet', version: 1, plan: planned.plan, settings } as const;
    const runs = await simulateFleet({ ...fleet, changed: { nodeMonitorGracePeriodMs: 900_000 } });
    const lost = runs.asIs.filter(({ kind }) => kind === 'unknown').map(({ at }) => at - T);
    expect(lost).toHaveLength(2);
    for (const at of lost) expect(Math.abs(at - 343_000)).toBeLessThanOrEqual(5_000);
    expect([kinds(runs.asIs, 'tainted'), kinds(runs.asIs, 'evicted')]).toEqual([2, 2]);
    expect([kinds(runs.changed, 'unknown'), kinds(runs.changed, 'evicted')]).toEqual([0, 0]);
  });

  it('is none if no node was lost', () => {
    const quiet = new HistoryRecorder();
    quiet.begin({ revision: 1, at: T, nodes: [['a1', seen('a')]] });
    expect(planOfRecord(quiet.record(), NODE_LIFECYCLE_DEFAULTS, [])).toBeUndefined();
  });
});
