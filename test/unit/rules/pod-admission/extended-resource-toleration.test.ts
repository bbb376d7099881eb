import { expect, it } from 'vitest';
import type { PodSpec, Toleration } from '../../../../shared/kube/types/core.ts';
import { tolerateExtendedResources } from '../../../../shared/rules/pod-admission/extended-resource-toleration.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const asking = (...names: readonly string[]) => ({
  name: 'c',
  resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
});
const exists = (key: string, rest: Toleration = {}): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoSchedule',
  ...rest,
});
const FOO: Toleration = { key: 'foo', operator: 'Equal', value: 'bar', effect: 'NoSchedule' };
const [GPU, NIC] = ['example.com/gpu', 'example.com/nic'];
const OTHER: Toleration = { key: GPU, operator: 'Equal', value: 'foo', effect: 'NoExecute' };
const ALL: Toleration = { operator: 'Exists' };

it.each<[string, PodSpec, readonly Toleration[] | undefined]>([
  ['a pod without containers', {}, undefined],
  ['native resources', { containers: [asking('cpu', 'memory', 'kubernetes.io/x')] }, undefined],
  ['names of quotas', { containers: [asking('requests.example.com/gpu')] }, undefined],
  ['a container', { containers: [asking(GPU)] }, [exists(GPU)]],
  ['an init container', { initContainers: [asking(GPU)] }, [exists(GPU)]],
  ['tolerations that are kept', { containers: [asking(GPU)], tolerations: [FOO] }, [FOO, exists(GPU)]],
  [
    'several, sorted by name, once each',
    { containers: [asking(NIC, GPU)], initContainers: [asking(NIC)] },
    [exists(GPU), exists(NIC)],
  ],
  ['the toleration itself', { containers: [asking(GPU)], tolerations: [exists(GPU)] }, [exists(GPU)]],
  ['another one of the key', { containers: [asking(GPU)], tolerations: [OTHER] }, [OTHER, exists(GPU)]],
  ['one of everything', { containers: [asking(GPU)], tolerations: [ALL] }, [ALL, exists(GPU)]],
  [
    'the toleration with a time, which it loses',
    { containers: [asking(GPU)], tolerations: [exists(GPU, { tolerationSeconds: 5 }), FOO] },
    [exists(GPU), FOO],
  ],
])('tolerates the taints of extended resources: %s (A-24)', (_name, spec, expected) => {
  expect(tolerateExtendedResources({ ...aPod(), spec }).spec.tolerations).toEqual(expected);
});
