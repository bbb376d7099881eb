import { describe, expect, it } from 'vitest';
import { routing } from '../../../../lambdas/volume-binder/routing.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { aClaim, aVolume } from '../../../support/objects/storage-objects.ts';

const rowOf = (resource: string, object: ApiObject, revision: number): LiveRow => ({
  state: 'live',
  key: { resource, namespace: object.metadata.namespace ?? '', name: object.metadata.name },
  uid: object.metadata.uid ?? '',
  revision,
  object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
  facts: {},
});

const sentFor = (resource: string, before: ApiObject | undefined, after: ApiObject | undefined): number => {
  const rows = { before: before && rowOf(resource, before, 1), after: after && rowOf(resource, after, 2) };
  const { key, uid } = (rows.after ?? rows.before) as LiveRow;
  return routing.route({ key, uid, revision: 2, ...rows }).length;
};

describe('messages to the binder (K-104)', () => {
  it.each([
    ['a new claim', 'persistentvolumeclaims', undefined, aClaim('c'), 1],
    ['a volume that goes', 'persistentvolumes', aVolume('v'), undefined, 1],
    ['another phase', 'persistentvolumes', aVolume('v'), aVolume('v', {}, { status: { phase: 'Bound' } }), 1],
    ['a write that changes nothing', 'persistentvolumes', aVolume('v'), aVolume('v'), 0],
    ['another kind', 'configmaps', undefined, aClaim('c'), 0],
  ] as const)('%s', (_what, resource, before, after, expected) => {
    expect(sentFor(resource, before, after)).toBe(expected);
  });
});
