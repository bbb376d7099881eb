import { describe, expect, it } from 'vitest';
import type { Hold } from '../../../../shared/kube/types/hold.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { isInForce, isOver } from '../../../../shared/rules/holds/hold-state.ts';
import { withHoldState } from '../../../../shared/rules/holds/hold-status.ts';

const NOW = 1_800_000_000_000;
const HOLD: Hold = {
  apiVersion: 'rollcall.dev/v1',
  kind: 'Hold',
  metadata: { name: 'a', uid: 'u' },
  spec: { reason: 'x' },
  status: { by: 'alice' },
};

describe('withHoldState', () => {
  it('says since when the Hold is in force, in the book of which epoch, and for how many nodes (V-105)', () => {
    const held = withHoldState(HOLD, 'Held', 7, NOW, 31);
    expect(held.status).toEqual({
      by: 'alice',
      epoch: 7,
      since: toTime(NOW),
      heldNodes: 31,
      conditions: [
        {
          type: 'InForce',
          status: 'True',
          reason: 'Held',
          lastTransitionTime: toTime(NOW),
          message: 'Nothing that this hold stops begins.',
        },
      ],
    });
    expect([isInForce(HOLD), isInForce(held)]).toEqual([false, true]);
  });

  it('is the same object while nothing changes, also in a book of a later epoch (V-105)', () => {
    const held = withHoldState(HOLD, 'Held', 7, NOW);
    expect(withHoldState(held, 'Held', 9, NOW + 60_000)).toBe(held);
  });

  it('keeps who made it and since when, once it has ended (V-105)', () => {
    const over = withHoldState(withHoldState(HOLD, 'Held', 7, NOW), 'Expired', 9, NOW + 60_000);
    expect(over.status).toMatchObject({
      by: 'alice',
      since: toTime(NOW),
      conditions: [{ status: 'False', reason: 'Expired', lastTransitionTime: toTime(NOW + 60_000) }],
    });
    expect(isInForce(over)).toBe(false);
  });
});

describe('isOver', () => {
  it('is a Hold from its `until` on (V-104)', () => {
    const until = { ...HOLD, spec: { until: toTime(NOW) } };
    expect([isOver(until, NOW - 1), isOver(until, NOW), isOver(HOLD, NOW)]).toEqual([false, true, false]);
  });
});
