import { describe, expect, it } from 'vitest';
import {
  graceEntries,
  groupByPriority,
  requestedSeconds,
} from '../../../../../agent/rules/shutdown/priority-groups.ts';

const NONE = { shutdownGracePeriodMs: 0, shutdownGracePeriodCriticalPodsMs: 0, byPodPriority: [] };

const pod = (priority: number) => ({ spec: { priority } });

describe('the examples of the documents about graceful shutdown', () => {
  const periods = { ...NONE, shutdownGracePeriodMs: 30_000, shutdownGracePeriodCriticalPodsMs: 10_000 };

  it('give the first 20 of 30 seconds to normal pods, and the last 10 to critical ones', () => {
    const entries = graceEntries(periods);
    expect(requestedSeconds(entries)).toBe(30);
    expect(groupByPriority(entries, [pod(2_000_001_000), pod(0), pod(1_000_000_000)])).toEqual([
      { priority: 0, shutdownGracePeriodSeconds: 20, pods: [pod(0), pod(1_000_000_000)] },
      { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10, pods: [pod(2_000_001_000)] },
    ]);
  });

  const entriesOf = (rows: readonly (readonly [number, number])[]) =>
    graceEntries({
      ...NONE,
      byPodPriority: rows.map(([priority, seconds]) => ({ priority, shutdownGracePeriodSeconds: seconds })),
    });

  const CLASSES: readonly (readonly [number, number])[] = [
    [100_000, 10],
    [10_000, 180],
    [1000, 120],
    [0, 60],
  ];

  it.each([
    ['custom-class-a', 100_000, 10],
    ['custom-class-b', 10_000, 180],
    ['custom-class-c', 1000, 120],
    ['no class', 0, 60],
    ['between two classes', 9999, 120],
  ])('give a pod of %s (%i) %i seconds', (_, priority, seconds) => {
    const [group] = groupByPriority(entriesOf(CLASSES), [pod(priority)]).filter(
      ({ pods }) => pods.length > 0,
    );
    expect(group?.shutdownGracePeriodSeconds).toBe(seconds);
  });

  it('need no entry for each class', () => {
    const short = entriesOf([
      [100_000, 300],
      [1000, 120],
      [0, 60],
    ]);
    expect(requestedSeconds(short)).toBe(480);
    const groups = groupByPriority(short, [pod(100_000), pod(10_000), pod(1000), pod(0)]);
    expect(groups.map(({ pods }) => pods.map(({ spec }) => spec.priority))).toEqual([
      [0],
      [10_000, 1000],
      [100_000],
    ]);
  });
});
