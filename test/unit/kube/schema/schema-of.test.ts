import '../../../../shared/kube/schema/rare-messages.ts';
import { expect, it } from 'vitest';
import type { FieldType, StructType } from '../../../../shared/kube/schema/field-types.ts';
import { ATOMIC, LIST_SEMANTICS } from '../../../../shared/kube/schema/list-semantics.ts';
import { messageNames, messageOf } from '../../../../shared/kube/schema/messages.ts';
import { ALWAYS, kindSchema, schemaOf } from '../../../../shared/kube/schema/schema-of.ts';

const at = (schema: StructType, path: string): FieldType | undefined =>
  path.split('.').reduce<FieldType | undefined>((type, part) => {
    if (type?.type === 'list' || type?.type === 'map') type = type.of;
    return type?.type === 'struct' ? type.fields[part] : undefined;
  }, schema);

it.each([
  ['core.v1.Node', 'kind', { type: 'string' }],
  ['core.v1.Node', 'spec.taints.effect', { type: 'string', keep: true }],
  ['core.v1.Node', 'status.capacity', { type: 'map', of: { type: 'quantity', keep: true } }],
  ['core.v1.Node', 'metadata.creationTimestamp', { type: 'time' }],
  ['core.v1.Pod', 'spec.containers.livenessProbe.httpGet.port', { type: 'intOrString', keep: true }],
  ['core.v1.Pod', 'spec.containers.env.valueFrom.secretKeyRef.name', { type: 'string' }],
  ['core.v1.Pod', 'spec.volumes.configMap.name', { type: 'string' }],
  ['core.v1.Pod', 'spec.ephemeralContainers.image', { type: 'string' }],
  ['core.v1.Secret', 'data', { type: 'map', of: { type: 'bytes', keep: true } }],
  ['coordination.v1.Lease', 'spec.renewTime', { type: 'microTime' }],
  [
    'authorization.v1.SubjectAccessReview',
    'spec.extra',
    { type: 'map', of: { type: 'list', of: { type: 'string', keep: true } } },
  ],
])('says for %s that %s is %j', (message, path, type) => {
  expect(at(kindSchema(message), path)).toEqual(type);
});

it('merges conditions by type and replaces taints', () => {
  const node = kindSchema('core.v1.Node');
  expect(at(node, 'status.conditions')).toMatchObject({ patchMergeKey: 'type', mapKeys: ['type'] });
  expect(at(node, 'spec.taints')).not.toHaveProperty('patchMergeKey');
});

const isThere = (path: string): boolean => {
  const end = path.lastIndexOf('.');
  return (
    messageOf(path) !== undefined || Object.hasOwn(schemaOf(path.slice(0, end)).fields, path.slice(end + 1))
  );
};

it('has list semantics only for fields that exist', () => {
  const always = Object.entries(ALWAYS).flatMap(([message, fields]) =>
    fields.split(' ').map((field) => `${message}.${field}`),
  );
  expect([...Object.keys(LIST_SEMANTICS), ...ATOMIC, ...always].filter((path) => !isThere(path))).toEqual([]);
});

it('describes every message', () => {
  for (const message of messageNames()) expect(Object.keys(schemaOf(message).fields)).not.toEqual([]);
});
