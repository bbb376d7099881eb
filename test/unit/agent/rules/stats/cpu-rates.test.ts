import { describe, expect, it } from 'vitest';
import {
  cpuSamples,
  earliestSamples,
  lacksRates,
  type MachineUsage,
  withCpuRates,
} from '../../../../../agent/rules/stats/cpu-rates.ts';

const SECOND = 1_000_000_000;

interface Counters {
  readonly node?: number;
  readonly pods?: number;
  readonly pod?: number;
  readonly container?: number;
  readonly startedAt?: number;
}

const cpu = (time: number, nanoSeconds: number | undefined) =>
  nanoSeconds === undefined ? {} : { cpu: { time, usageCoreNanoSeconds: nanoSeconds } };

const usageAt = (time: number, { node, pods, pod, container, startedAt }: Counters): MachineUsage => ({
  node: { ...cpu(time, node), systemContainers: [{ name: 'pods', ...cpu(time, pods) }] },
  pods: [
    {
      podRef: { namespace: 'default', name: 'web', uid: 'u1' },
      ...cpu(time, pod),
      containers: [
        { name: 'app', ...(startedAt === undefined ? {} : { startedAt }), ...cpu(time, container) },
      ],
    },
  ],
});

const ratesOf = ({ node, pods: [pod] }: MachineUsage) => ({
  node: node.cpu?.usageNanoCores,
  pods: node.systemContainers?.[0]?.cpu?.usageNanoCores,
  pod: pod?.cpu?.usageNanoCores,
  container: pod?.containers?.[0]?.cpu?.usageNanoCores,
});

const ALL = { node: 40 * SECOND, pods: 30 * SECOND, pod: 2 * SECOND, container: SECOND };

describe('how busy processors are', () => {
  it('is what counters have gained, by the time between', () => {
    const before = cpuSamples(usageAt(10_000, ALL));
    const later = { node: 60 * SECOND, pods: 35 * SECOND, pod: 2.5 * SECOND, container: SECOND };
    const rated = withCpuRates(usageAt(20_000, later), before);
    expect(ratesOf(rated)).toEqual({ node: 2 * SECOND, pods: SECOND / 2, pod: SECOND / 20, container: 0 });
    expect(rated.node.cpu?.windowMs).toBe(10_000);
    expect(lacksRates(rated)).toBe(false);
  });

  it.each([
    ['a counter that has become less', { ...ALL, container: SECOND / 2 }, 20_000],
    ['a container that was started again', { ...ALL, startedAt: 5 }, 20_000],
    ['two measurements of one moment', ALL, 10_000],
  ])('is not known by %s', (_, later, time) => {
    const rated = withCpuRates(usageAt(time, later), cpuSamples(usageAt(10_000, ALL)));
    expect(ratesOf(rated).container).toBeUndefined();
    expect(lacksRates(rated)).toBe(true);
  });

  it('nobody waits for where nothing counts', () => {
    const rated = withCpuRates(usageAt(20_000, {}), new Map());
    expect(ratesOf(rated)).toEqual({});
    expect(lacksRates(rated)).toBe(false);
  });
});

describe('the samples that a rate is computed from', () => {
  const after = cpuSamples(usageAt(20_000, ALL));
  const timeOf = (before: Counters, oldest: number) =>
    earliestSamples(cpuSamples(usageAt(10_000, before)), after, oldest).get('pod u1')?.time;

  it.each([
    { name: 'are the earlier ones', before: ALL, oldest: 0, time: 10_000 },
    { name: 'are not those that are too old', before: ALL, oldest: 10_001, time: 20_000 },
    { name: 'are not those of another counter', before: { pod: 3 * SECOND }, oldest: 0, time: 20_000 },
    { name: 'are those of now for what is new', before: {}, oldest: 0, time: 20_000 },
  ])('$name', ({ before, oldest, time }) => {
    expect(timeOf(before, oldest)).toBe(time);
  });

  it('are of nothing that is gone', () => {
    expect([...earliestSamples(after, new Map(), 0)]).toEqual([]);
  });
});
