import { describe, expect, test } from 'vitest';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import type { Absence } from '../../../../shared/rules/absences/absence.ts';
import type { Hearing } from '../../../../shared/rules/absences/silence.ts';
import { markUnknown, readyStatusOf } from '../../../../shared/rules/nodes/node-conditions.ts';
import {
  decideNodeHealth,
  type Heartbeats,
  isAlmostSilent,
  isDirect,
  lastSignOfLife,
  type NodeHealthRow,
  readyAfter,
} from '../../../../shared/rules/nodes/node-health.ts';
import { isSilenced, isSilencedBy, isUnready } from '../../../../shared/rules/pods/pod-readiness.ts';
import { aNode, ready } from '../../../support/objects/domain-objects.ts';
import { UPSTREAM_TEST_CONFIG } from '../../../support/upstream/upstream-config.ts';

const CREATED = 1_000_000;
const GRACE = 50_000;
const STARTUP = 60_000;

const row = (parts: Partial<NodeHealthRow> = {}): NodeHealthRow => ({
  name: 'node0',
  uid: 'uid0',
  zone: '',
  createdAt: CREATED,
  excludeDisruption: false,
  clientReady: true,
  noExecute: [],
  ...parts,
});

const hearing = (clockFloor = 0, absences: readonly Absence[] = []): Hearing => ({
  clockFloor,
  absences,
  intervalMs: 10_000,
});

const beats = (parts: Partial<Heartbeats> = {}): Heartbeats => ({ hasLease: false, ...parts });

describe('isDirect', () => {
  test.each([
    {
      name: 'a node that no client reported about and that has no lease (S-01)',
      clientReady: false,
      lease: false,
      is: true,
    },
    { name: 'not one with a lease (S-01)', clientReady: false, lease: true, is: false },
    { name: 'not one whose Ready a client wrote (S-01, H-07)', clientReady: true, lease: false, is: false },
  ])('is $name', ({ clientReady, lease, is }) => {
    expect(isDirect(row({ clientReady }), beats({ hasLease: lease }))).toBe(is);
  });

  test('is true for a node without beats, unless a client wrote its Ready', () => {
    expect(isDirect(row({ clientReady: false }), undefined)).toBe(true);
  });
});

describe('isAlmostSilent', () => {
  const now = CREATED;
  const period = 5_000;
  test.each<{ name: string; ready?: ConditionStatus; endsAt: number; periodMs?: number; is: boolean }>([
    { name: 'a node whose patience ends now, which is not silent yet', ready: 'True', endsAt: now, is: true },
    { name: 'one whose patience ends just before the next pass', endsAt: now + period - 1, is: true },
    { name: 'not one that the next pass finds at its limit', endsAt: now + period, is: false },
    { name: 'not one that is silent', ready: 'True', endsAt: now - 1, is: false },
    { name: 'not one that is Unknown', ready: 'Unknown', endsAt: now + 1, is: false },
    { name: 'one that is not ready', ready: 'False', endsAt: now + 1, is: true },
    {
      name: 'one in the last quarter of its grace period',
      ready: 'True',
      endsAt: now + GRACE / 4 - 1,
      periodMs: 60_000,
      is: true,
    },
    {
      name: 'not one before it, if passes are rare',
      ready: 'True',
      endsAt: now + GRACE / 4,
      periodMs: 60_000,
      is: false,
    },
  ])('is $name', ({ ready: status, endsAt, periodMs = period, is }) => {
    const given = status === undefined ? {} : { ready: status };
    const graceMs = status === undefined ? STARTUP : GRACE;
    expect(isAlmostSilent(given, endsAt, now, periodMs, graceMs)).toBe(is);
  });
});

describe('lastSignOfLife', () => {
  const late = CREATED + 9_000;
  test.each<{
    name: string;
    row?: Partial<NodeHealthRow>;
    beats?: Heartbeats;
    floor?: number;
    now?: number;
    at: number;
  }>([
    { name: 'is the creation of a node without beats (S-04)', at: CREATED },
    {
      name: 'is the newest of lease, status and relay (S-03)',
      beats: beats({ leaseAt: CREATED + 1, statusAt: late, relayAt: CREATED + 2 }),
      at: late,
    },
    { name: 'is a lease, also without a status', beats: beats({ hasLease: true, leaseAt: late }), at: late },
    { name: 'is a relayed beat', beats: beats({ relayAt: late }), at: late },
    {
      name: 'is a plain beat of a direct node (S-02)',
      row: { clientReady: false },
      beats: beats({ plainAt: late }),
      at: late,
    },
    {
      name: 'is a relayed beat of a direct node',
      row: { clientReady: false },
      beats: beats({ relayAt: late }),
      at: late,
    },
    {
      name: 'is not a plain beat if a client wrote Ready (S-03)',
      beats: beats({ plainAt: late, statusAt: CREATED + 1 }),
      at: CREATED + 1,
    },
    {
      name: 'is not a plain beat if there is a Lease (S-03)',
      row: { clientReady: false },
      beats: beats({ hasLease: true, plainAt: late }),
      at: CREATED,
    },
    { name: 'is not observedAt, which every beat changes', beats: beats({ observedAt: late }), at: CREATED },
    {
      name: 'is the clock floor if that is later (S-04)',
      beats: beats({ leaseAt: CREATED + 1 }),
      floor: late,
      at: late,
    },
    {
      name: 'is a beat that was taken back, once the clock has reached it (G-14)',
      beats: beats({ leaseAt: CREATED + 1, aheadAt: late }),
      at: late,
    },
    {
      name: 'is not a beat that was taken back and is still ahead (G-14)',
      beats: beats({ leaseAt: CREATED + 1, aheadAt: late + 3_600_000 }),
      at: CREATED + 1,
    },
    {
      name: 'is a beat rather than a creation that is ahead (G-16)',
      row: { createdAt: CREATED + 3_600_000 },
      beats: beats({ leaseAt: CREATED + 1 }),
      at: CREATED + 1,
    },
    {
      name: 'is a creation that is ahead if nothing else is known (G-16)',
      row: { createdAt: CREATED + 3_600_000 },
      at: CREATED + 3_600_000,
    },
    { name: 'is not a floor from before the node was created', floor: CREATED - 1, at: CREATED },
  ])('$name', (c) => {
    expect(lastSignOfLife(row(c.row), c.beats, hearing(c.floor), c.now ?? late)).toBe(c.at);
  });
});

describe('decideNodeHealth', () => {
  const source = 'kubernetes v1.34 `tryUpdateNodeHealth`';
  const own = 'Rollcall, direct nodes';
  const beatAt = CREATED + 100_000;
  const direct = { clientReady: false };
  test.each<{
    name: string;
    source: string;
    row: Partial<NodeHealthRow>;
    beats?: Heartbeats;
    floor?: number;
    now: number;
    decision: ReturnType<typeof decideNodeHealth>;
  }>([
    {
      name: 'waits at exactly the grace period (H-03)',
      source,
      row: { ready: 'True' },
      beats: beats({ leaseAt: beatAt }),
      now: beatAt + GRACE,
      decision: { action: 'none' },
    },
    {
      name: 'marks Unknown one millisecond later (H-03)',
      source,
      row: { ready: 'True' },
      beats: beats({ leaseAt: beatAt }),
      now: beatAt + GRACE + 1,
      decision: { action: 'markUnknown', silentForMs: GRACE + 1 },
    },
    {
      name: 'marks a node Unknown that had posted False (H-04)',
      source,
      row: { ready: 'False' },
      beats: beats({ statusAt: beatAt }),
      now: beatAt + GRACE + 1,
      decision: { action: 'markUnknown', silentForMs: GRACE + 1 },
    },
    {
      name: 'does nothing about an Unknown node (H-06)',
      source,
      row: { ready: 'Unknown' },
      now: beatAt + 10 * GRACE,
      decision: { action: 'none' },
    },
    {
      name: 'does nothing about an Unknown node whose kubelet renews its Lease',
      source,
      row: { ready: 'Unknown' },
      beats: beats({ hasLease: true, leaseAt: beatAt }),
      now: beatAt,
      decision: { action: 'none' },
    },
    {
      name: 'gives a node without Ready the startup grace (H-01)',
      source,
      row: {},
      now: CREATED + STARTUP,
      decision: { action: 'none' },
    },
    {
      name: 'marks a node Unknown that never reported (H-01)',
      source,
      row: {},
      now: CREATED + STARTUP + 1,
      decision: { action: 'markUnknown', silentForMs: STARTUP + 1 },
    },
    {
      name: 'starts the grace period again at the clock floor (S-04)',
      source,
      row: { ready: 'True' },
      beats: beats({ leaseAt: CREATED }),
      floor: beatAt,
      now: beatAt + GRACE,
      decision: { action: 'none' },
    },
    {
      name: 'ignores plain beats if a client wrote Ready',
      source: own,
      row: { ready: 'True' },
      beats: beats({ leaseAt: CREATED, plainAt: beatAt }),
      now: beatAt,
      decision: { action: 'markUnknown', silentForMs: 100_000 },
    },
    {
      name: 'marks a direct node ready by its first beat (H-02)',
      source: own,
      row: direct,
      beats: beats({ plainAt: beatAt }),
      now: beatAt + 1,
      decision: { action: 'markReady' },
    },
    {
      name: 'marks a direct node ready again at the end of its grace period (H-05)',
      source: own,
      row: { ...direct, ready: 'Unknown' },
      beats: beats({ plainAt: beatAt }),
      now: beatAt + GRACE,
      decision: { action: 'markReady' },
    },
    {
      name: 'leaves a direct node Unknown whose beat is too old (H-05)',
      source: own,
      row: { ...direct, ready: 'Unknown' },
      beats: beats({ plainAt: beatAt }),
      now: beatAt + GRACE + 1,
      decision: { action: 'none' },
    },
    {
      name: 'leaves a direct node Unknown after a clock floor alone (H-06)',
      source: own,
      row: { ...direct, ready: 'Unknown' },
      beats: beats({ plainAt: CREATED }),
      floor: beatAt,
      now: beatAt,
      decision: { action: 'none' },
    },
    {
      name: 'does not mark a direct node ready by a beat that the monitor grace would end at once',
      source: own,
      row: direct,
      beats: beats({ plainAt: beatAt }),
      now: beatAt + GRACE + 1,
      decision: { action: 'none' },
    },
    {
      name: 'marks a direct node Unknown that stops (H-03)',
      source: own,
      row: { ...direct, ready: 'True' },
      beats: beats({ plainAt: beatAt }),
      now: beatAt + GRACE + 1,
      decision: { action: 'markUnknown', silentForMs: GRACE + 1 },
    },
  ])('$name', (c) => {
    expect(decideNodeHealth(row(c.row), c.beats, hearing(c.floor), c.now, UPSTREAM_TEST_CONFIG)).toEqual(
      c.decision,
    );
  });
});

// Source: kubernetes v1.34 `TestTryUpdateNodeHealth`.
describe('the status counted for the zone (H-10, I-04)', () => {
  const statuses: readonly (ConditionStatus | undefined)[] = ['True', 'False', 'Unknown', undefined];
  const now = CREATED + 366 * 86_400_000;
  test.each(statuses.flatMap((status) => [now, CREATED].map((seenAt) => ({ status, seenAt }))))(
    'is the one after the decision: Ready $status, last heard from at $seenAt',
    ({ status, seenAt }) => {
      const health = row(status === undefined ? {} : { ready: status });
      const decision = decideNodeHealth(
        health,
        beats({ statusAt: seenAt }),
        hearing(),
        now,
        UPSTREAM_TEST_CONFIG,
      );
      const node = aNode({ conditions: status === undefined ? [] : [ready(status, seenAt)] });
      const after = decision.action === 'markUnknown' ? markUnknown(node, now) : node;
      expect(readyAfter(health, decision)).toBe(readyStatusOf(after));
    },
  );

  test('is True for a direct node that returned', () => {
    expect(readyAfter({ ready: 'Unknown' }, { action: 'markReady' })).toBe('True');
  });
});

describe('isSilencedBy', () => {
  const source = 'kubernetes v1.34 `monitorNodeHealth`';
  test.each<{ name: string; source: string; before?: ConditionStatus; after?: ConditionStatus; is: boolean }>(
    [
      {
        name: 'is true if the monitor changed True to Unknown (R-02)',
        source,
        before: 'True',
        after: 'Unknown',
        is: true,
      },
      {
        name: 'is false for a node that posted False',
        source,
        before: 'False',
        after: 'False',
        is: false,
      },
      {
        name: 'is false if a node with False fell silent (R-03)',
        source,
        before: 'False',
        after: 'Unknown',
        is: false,
      },
      { name: 'is false without a Ready condition (R-04)', source, after: 'Unknown', is: false },
    ],
  )('$name', ({ before, after, is }) => {
    expect(isSilencedBy(before, after)).toBe(is);
  });
});

describe('isSilenced', () => {
  test.each<{
    name: string;
    before?: { ready?: ConditionStatus; silenced?: true };
    after?: ConditionStatus;
    writer?: 'client' | 'controller';
    is: boolean;
  }>([
    {
      name: 'begins when the monitor changes True to Unknown (R-07)',
      before: { ready: 'True' },
      after: 'Unknown',
      is: true,
    },
    {
      name: 'does not begin when a client writes',
      before: { ready: 'True' },
      after: 'Unknown',
      writer: 'client',
      is: false,
    },
    { name: 'does not begin if Ready was absent (R-07)', before: {}, after: 'Unknown', is: false },
    { name: 'does not begin if Ready was False', before: { ready: 'False' }, after: 'Unknown', is: false },
    {
      name: 'lasts while Ready stays Unknown, regardless of the writer (R-07)',
      before: { ready: 'Unknown', silenced: true },
      after: 'Unknown',
      writer: 'client',
      is: true,
    },
    { name: 'does not begin later', before: { ready: 'Unknown' }, after: 'Unknown', is: false },
    {
      name: 'ends with a node that posts False',
      before: { ready: 'Unknown', silenced: true },
      after: 'False',
      is: false,
    },
    {
      name: 'ends with a node that is ready (R-07)',
      before: { ready: 'Unknown', silenced: true },
      after: 'True',
      is: false,
    },
  ])('$name', ({ before, after, writer = 'controller', is }) => {
    expect(isSilenced(before, after, writer)).toBe(is);
  });
});

describe('isUnready', () => {
  const source = 'kubernetes v1.34 `TestProcessPodMarkPodNotReady`';
  test.each<{ name: string; source: string; status: ConditionStatus | undefined; is: boolean }>([
    { name: 'is false for a ready node (R-05)', source, status: 'True', is: false },
    { name: 'is true for a node that is not ready (R-01)', source, status: 'False', is: true },
    { name: 'is true for an Unknown node (R-03)', source, status: 'Unknown', is: true },
    { name: 'is false without a Ready condition (R-06)', source, status: undefined, is: false },
  ])('$name', ({ status, is }) => {
    expect(isUnready(status)).toBe(is);
  });
});
