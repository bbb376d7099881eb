import '../../../../shared/kube/schema/rare-messages.ts';
import { expect, it } from 'vitest';
import { messageNames, messageOf } from '../../../../shared/kube/schema/messages.ts';

it.each([
  ['core.v1.NodeCondition', 'type', { number: 1, type: 'string', isKept: true }],
  ['core.v1.NodeCondition', 'message', { number: 6, type: 'string', isKept: false }],
  ['core.v1.NodeSpec', 'taints', { number: 5, type: 'core.v1.Taint', many: 'list', isKept: false }],
  ['core.v1.PodSpec', 'schedulingGroup', { number: 43, type: 'core.v1.PodSchedulingGroup', isKept: false }],
  ['core.v1.PodSpec', 'nodeSelector', { number: 7, type: 'string', many: 'map', isKept: false }],
  ['core.v1.Pod', 'metadata', { number: 1, type: 'apis.meta.v1.ObjectMeta', isKept: false }],
  ['apis.meta.v1.ObjectMeta', 'finalizers', { number: 14, type: 'string', many: 'list', isKept: false }],
  ['apis.meta.v1.OwnerReference', 'uid', { number: 4, type: 'string', isKept: true }],
  ['apps.v1.DeploymentSpec', 'replicas', { number: 1, type: 'int32', isKept: true }],
  ['apps.v1.DeploymentSpec', 'template', { number: 3, type: 'core.v1.PodTemplateSpec', isKept: false }],
])('describes %s, field %s', (message, name, field) => {
  expect(messageOf(message)?.find((one) => one.name === name)).toEqual({ name, ...field });
});

it.each(['string', 'core.v1.Nodes', 'core.v1.toString', '__proto__.x', 'Node'])(
  'has no message %s',
  (name) => {
    expect(messageOf(name)).toBeUndefined();
  },
);

it('has ascending field numbers and unique field names in each message', () => {
  for (const message of messageNames()) {
    const fields = messageOf(message) ?? [];
    const numbers = fields.map(({ number }) => number);
    expect(numbers, message).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(new Set(fields.map(({ name }) => name)).size, message).toBe(fields.length);
  }
});
