import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../../shared/kube/types/core.ts';
import type { PriorityClass } from '../../../../shared/kube/types/scheduling.ts';
import {
  globalDefaultOf,
  keepPriority,
  withPriority,
} from '../../../../shared/rules/pod-admission/pod-priority.ts';

const pod = (spec: PodSpec = {}): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
const priorityClass = (name: string, rest: Partial<PriorityClass> = {}): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value: 1000,
  preemptionPolicy: 'Never',
  ...rest,
});

describe('withPriority', () => {
  it.each<[string, PodSpec, PriorityClass | undefined, PodSpec]>([
    ['0 without any class (A-15)', {}, undefined, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      "the class's",
      { priorityClassName: 'c' },
      priorityClass('c'),
      { priorityClassName: 'c', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      "the default class's, and its name",
      {},
      priorityClass('d', { globalDefault: true }),
      { priorityClassName: 'd', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      'the same where it is given',
      { priorityClassName: 'c', priority: 1000, preemptionPolicy: 'Never' },
      priorityClass('c'),
      { priorityClassName: 'c', priority: 1000, preemptionPolicy: 'Never' },
    ],
  ])('gives %s', (_name, spec, found, expected) => {
    expect(withPriority(pod(spec), found)).toEqual({ pod: pod(expected) });
  });

  it.each<[string, PodSpec, PriorityClass | undefined, string]>([
    [
      'a class that is not there (A-15)',
      { priorityClassName: 'c' },
      undefined,
      'no PriorityClass with name c was found',
    ],
    [
      'another priority (A-15)',
      { priorityClassName: 'c', priority: 7 },
      priorityClass('c'),
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    ],
    [
      'another policy',
      { priorityClassName: 'c', preemptionPolicy: 'PreemptLowerPriority' },
      priorityClass('c'),
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ])('refuses %s', (_name, spec, found, fault) => {
    expect(withPriority(pod(spec), found)).toEqual({ fault });
  });
});

it('keepPriority keeps stored values that the client leaves out, and adds nothing else (A-16)', () => {
  expect(keepPriority(pod(), pod({ priority: 5 }))).toEqual(pod({ priority: 5 }));
  expect(keepPriority(pod({ priority: 6 }), pod({ priority: 5 }))).toEqual(pod({ priority: 6 }));
});

it('globalDefaultOf returns the lowest of several (A-15)', () => {
  const classes = [
    priorityClass('plain', { value: 1 }),
    priorityClass('high', { value: 9, globalDefault: true }),
    priorityClass('low', { value: 5, globalDefault: true }),
  ];
  expect(globalDefaultOf(classes)?.metadata.name).toBe('low');
  expect(globalDefaultOf(classes.slice(0, 1))).toBeUndefined();
});
