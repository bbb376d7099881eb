import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import type { Hearing } from '../../../../shared/rules/absences/silence.ts';
import {
  markReadyByHeartbeat,
  markUnknown,
  readyStatusOf,
} from '../../../../shared/rules/nodes/node-conditions.ts';
import {
  decideNodeHealth,
  type Heartbeats,
  lastSignOfLife,
  type NodeHealthRow,
  readyAfter,
} from '../../../../shared/rules/nodes/node-health.ts';
import { isAhead } from '../../../../shared/rules/zones/future-instants.ts';
import { nodes, statuses } from '../../../support/objects/domain-arbitraries.ts';

const instants = fc.integer({ min: 0, max: 200_000 });

const rows: fc.Arbitrary<NodeHealthRow> = fc.record(
  {
    name: fc.constant('node0'),
    uid: fc.constant('uid0'),
    zone: fc.constant(''),
    ready: statuses,
    createdAt: instants,
    excludeDisruption: fc.boolean(),
    clientReady: fc.boolean(),
    noExecute: fc.constant([]),
  },
  { requiredKeys: ['name', 'uid', 'zone', 'createdAt', 'excludeDisruption', 'clientReady', 'noExecute'] },
);

const beats: fc.Arbitrary<Heartbeats | undefined> = fc.option(
  fc.record(
    { hasLease: fc.boolean(), leaseAt: instants, statusAt: instants, plainAt: instants, relayAt: instants },
    { requiredKeys: ['hasLease'] },
  ),
  { nil: undefined },
);

const from = (clockFloor: number): Hearing => ({ clockFloor, absences: [], intervalMs: 10_000 });

const configs = fc.record({
  nodeMonitorGracePeriodMs: fc.integer({ min: 1, max: 100_000 }),
  nodeStartupGracePeriodMs: fc.integer({ min: 1, max: 100_000 }),
});

test('after a health decision was carried out there is nothing more to decide (I-03)', () => {
  fc.assert(
    fc.property(rows, beats, instants, instants, configs, (row, beat, floor, now, config) => {
      const after = readyAfter(row, decideNodeHealth(row, beat, from(floor), now, config));
      const next = after === undefined ? row : { ...row, ready: after };
      expect(decideNodeHealth(next, beat, from(floor), now, config)).toEqual({ action: 'none' });
    }),
  );
});

test('no node is marked Unknown within its grace period after a beat that counts, its creation or the floor (I-01)', () => {
  fc.assert(
    fc.property(rows, beats, instants, instants, configs, (row, beat, floor, now, config) => {
      const decision = decideNodeHealth(row, beat, from(floor), now, config);
      if (decision.action !== 'markUnknown') return;
      const counting = [beat?.leaseAt, beat?.statusAt, beat?.relayAt].filter((at) => at !== undefined);
      const graceMs = row.ready ? config.nodeMonitorGracePeriodMs : config.nodeStartupGracePeriodMs;
      const created = isAhead(row.createdAt, now) ? [] : [row.createdAt];
      for (const at of [...counting, ...created, floor]) expect(now - at).toBeGreaterThan(graceMs);
      expect(decision.silentForMs).toBe(now - lastSignOfLife(row, beat, from(floor), now));
    }),
  );
});

test('only a direct node is ever marked ready, and only by a beat within the grace period (I-02)', () => {
  fc.assert(
    fc.property(rows, beats, instants, instants, configs, (row, beat, floor, now, config) => {
      if (decideNodeHealth(row, beat, from(floor), now, config).action !== 'markReady') return;
      expect(row.clientReady || beat?.hasLease).toBe(false);
      expect(row.ready === 'True' || row.ready === 'False').toBe(false);
      const beatAt = Math.max(
        ...[beat?.plainAt, beat?.relayAt, beat?.leaseAt, beat?.statusAt].map((at) => at ?? -1),
      );
      expect(now - beatAt).toBeLessThanOrEqual(config.nodeMonitorGracePeriodMs);
    }),
  );
});

const others = (conditions: readonly Condition[] | undefined): readonly Condition[] =>
  (conditions ?? []).filter(({ type }) => type === 'NetworkUnavailable' || type === 'Own');

test('marking a node Unknown or ready is idempotent and does not change other conditions (I-05)', () => {
  fc.assert(
    fc.property(nodes, fc.constantFrom(markUnknown, markReadyByHeartbeat), (node, mark) => {
      const marked = mark(node, 1_000);
      expect(readyStatusOf(marked)).toBe(mark === markUnknown ? 'Unknown' : 'True');
      expect(mark(marked, 2_000)).toBe(marked);
      expect(others(marked.status?.conditions)).toEqual(others(node.status?.conditions));
    }),
  );
});
