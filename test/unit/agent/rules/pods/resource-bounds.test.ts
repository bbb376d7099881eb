import { describe, expect, it } from 'vitest';
import { containerBounds, podBounds } from '../../../../../agent/rules/pods/resource-bounds.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const limited = (cpu: string, memory: string) => ({
  resources: { limits: { cpu, memory }, requests: { cpu } },
});

describe('containerBounds', () => {
  it.each([
    [{}, {}],
    [{ resources: { requests: { cpu: '250m', memory: '1Gi' } } }, { cpuRequestMilli: 250 }],
    [{ resources: { limits: { cpu: '1' } } }, { cpuRequestMilli: 1000, cpuLimitMilli: 1000 }],
    [{ resources: { limits: { memory: '1Mi', cpu: '0' } } }, { memoryLimitBytes: 2 ** 20 }],
  ])('%j: %j', (container, bounds) => {
    expect(containerBounds(container)).toEqual(bounds);
  });
});

describe('podBounds', () => {
  const both = [
    { name: 'a', ...limited('1', '1Gi') },
    { name: 'b', ...limited('500m', '1Gi') },
  ];

  it('are the sums of what the containers may take', () => {
    expect(podBounds(podOf('p', { containers: both }), 100)).toEqual({
      cpuRequestMilli: 1500,
      cpuLimitMilli: 1500,
      memoryLimitBytes: 2 * 2 ** 30,
      pidsLimit: 100,
    });
  });

  it('do not hold if one container is not bounded', () => {
    const pod = podOf('p', { containers: [...both, { name: 'c' }] });
    expect(podBounds(pod, undefined)).toEqual({ cpuRequestMilli: 1500 });
  });

  it('are those of the pod as a whole, if it has its own', () => {
    const pod = podOf('p', { resources: { limits: { cpu: '2', memory: '1Gi' } } });
    expect(podBounds(pod, undefined)).toEqual({ cpuLimitMilli: 2000, memoryLimitBytes: 2 ** 30 });
  });
});
