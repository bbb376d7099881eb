import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import {
  isOnlyHeartbeat,
  statusBeat,
  withHeartbeatTimes,
} from '../../../../shared/rules/nodes/status-beat.ts';

const T0 = '2026-01-01T00:00:00Z';
const T1 = '2026-01-01T00:00:10Z';

const node = (ready: string | undefined, disk: string | undefined, rest: object = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', ...(ready === undefined ? {} : { lastHeartbeatTime: ready }) },
      { type: 'DiskPressure', status: 'False', ...(disk === undefined ? {} : { lastHeartbeatTime: disk }) },
    ],
    ...rest,
  },
});

describe('statusBeat (S-05)', () => {
  it.each([
    ['Ready reports a new time', node(T0, T0), node(T1, T0), true],
    ['Ready reports its first time', node(undefined, T0), node(T0, T0), true],
    ['Ready reports an older time', node(T1, T0), node(T0, T0), true],
    ['only another condition reports', node(T0, T0), node(T0, T1), false],
    ['nothing changes', node(T0, T0), node(T0, T0), false],
    ['Ready loses its time', node(T0, T0), node(undefined, T0), false],
  ])('%s: %#', (_name, before, after, isBeat) => {
    expect(statusBeat(before, after, 7) !== undefined).toBe(isBeat);
  });

  it('has the times of all conditions and our instant', () => {
    expect(statusBeat(node(T0, T0), node(T1, T1), 7)).toEqual({
      at: 7,
      times: { Ready: T1, DiskPressure: T1 },
    });
  });
});

it('isOnlyHeartbeat is true if nothing but times differs (S-06)', () => {
  expect(isOnlyHeartbeat(node(T0, T0), node(T1, T1))).toBe(true);
  expect(isOnlyHeartbeat(node(T0, T0), node(T1, T1, { phase: 'Running' }))).toBe(false);
  expect(
    isOnlyHeartbeat(node(T0, T0), { ...node(T1, T0), metadata: { name: 'n1', labels: { a: 'b' } } }),
  ).toBe(false);
});

it('withHeartbeatTimes adds newer times to a node, and not older ones (S-06)', () => {
  expect(withHeartbeatTimes(node(T0, T1), { Ready: T1, DiskPressure: T0, Gone: T1 })).toEqual(node(T1, T1));
});
