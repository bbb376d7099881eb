import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  nextDrainAt,
  SCHEDULED_ANNOTATION,
  type ScheduledWord,
  scheduledOf,
  withDueDrains,
  withScheduled,
} from '../../../../shared/rules/cloud/scheduled-maintenance.ts';
import {
  drainRequestOf,
  withDrainRequest,
  withoutDrainRequest,
} from '../../../../shared/rules/drain/node-drain.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-01-06T00:00:00Z');
const LEAD = HOUR;
const NODE: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  spec: { providerID: 'aws:///z/i-1' },
};

const word = (startsIn: number | undefined, more: Partial<ScheduledWord> = {}): ScheduledWord => ({
  says: 'scheduled',
  instance: 'i-1',
  id: 'arn',
  saidAt: NOW,
  isOver: false,
  ...(startsIn === undefined ? {} : { startsAt: NOW + startsIn }),
  ...more,
});
const heard = (node: Node, said: ScheduledWord, at = NOW): Node => withScheduled(node, said, at, LEAD);
const drains = (node: Node): boolean => drainRequestOf(node) !== undefined;

describe('maintenance that a cloud announces (J-110)', () => {
  it('drains the node a lead before it begins, and not at once', () => {
    const node = heard(NODE, word(200 * HOUR));
    expect([drains(node), nextDrainAt(node)]).toEqual([false, NOW + 199 * HOUR]);
    expect(drains(withDueDrains(node, 'i-1', NOW + 199 * HOUR - 1))).toBe(false);
    const due = withDueDrains(node, 'i-1', NOW + 199 * HOUR);
    expect(drainRequestOf(due)).toMatchObject({
      id: 'maintenance-arn',
      requestedAt: NOW + 199 * HOUR,
      by: 'cloud-node',
      deadlineAt: NOW + 200 * HOUR,
      deleteAt: NOW + 200 * HOUR - HOUR / 6,
    });
    expect(nextDrainAt(due)).toBeUndefined();
  });

  it.each([
    ['that begins within the lead', word(HOUR / 2)],
    ['of which nobody knows when it begins', word(undefined)],
    ['that has begun', word(-HOUR)],
  ])('drains at once before maintenance %s', (_, said) => {
    expect(drains(heard(NODE, said))).toBe(true);
  });

  it('says nothing new when it is delivered twice', () => {
    for (const said of [word(9 * HOUR), word(HOUR / 2)]) {
      const node = heard(NODE, said);
      expect(heard(node, said, NOW + 1)).toBe(node);
    }
  });

  it('does not drain again what somebody has taken back', () => {
    const node = withoutDrainRequest(heard(NODE, word(HOUR / 2)));
    expect(drains(withDueDrains(node, 'i-1', NOW + HOUR))).toBe(false);
    expect(drains(heard(node, word(HOUR / 2, { saidAt: NOW + 1 }), NOW + 1))).toBe(false);
  });

  it('moves the drain with the maintenance, and takes one back that was requested too early', () => {
    const planned = heard(heard(NODE, word(9 * HOUR)), word(5 * HOUR, { saidAt: NOW + 1 }));
    expect(nextDrainAt(planned)).toBe(NOW + 4 * HOUR);
    const late = heard(heard(NODE, word(HOUR / 2)), word(9 * HOUR, { saidAt: NOW + 1 }));
    expect([drains(late), late.spec?.unschedulable, nextDrainAt(late)]).toEqual([
      false,
      undefined,
      NOW + 8 * HOUR,
    ]);
  });

  it('takes the drain back when it is over or cancelled, however late an older word comes', () => {
    for (const startsIn of [HOUR / 2, 9 * HOUR]) {
      const over = heard(heard(NODE, word(startsIn)), word(startsIn, { isOver: true, saidAt: NOW + 2 }));
      expect([drains(over), over.spec?.unschedulable, nextDrainAt(over)]).toEqual([
        false,
        undefined,
        undefined,
      ]);
      expect(heard(over, word(startsIn, { saidAt: NOW + 1 }))).toBe(over);
    }
  });

  it('leaves a drain that somebody else has asked for, too', () => {
    const request = { id: 'mine', requestedAt: NOW - 5, by: 'alice', reason: 'disk' };
    const node = heard(withDrainRequest(NODE, request), word(HOUR / 2));
    expect(drains(heard(node, word(HOUR / 2, { isOver: true, saidAt: NOW + 1 })))).toBe(true);
  });

  it('remembers five announcements, the last ones', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const node = ids.reduce((given, id, n) => heard(given, word(9 * HOUR, { id, saidAt: NOW + n })), NODE);
    expect(scheduledOf(node).map(({ id }) => id)).toEqual(['f', 'e', 'd', 'c', 'b']);
  });

  it.each(['', '{', '{}', '[1]', '[{"id":"a"}]', '[{"id":"a","saidAt":"x","drainAt":"y"}]'])(
    'is nothing if the annotation is %j',
    (text) => {
      const metadata = { name: 'n1', annotations: { [SCHEDULED_ANNOTATION]: text } };
      expect(scheduledOf({ ...NODE, metadata })).toEqual([]);
    },
  );
});
