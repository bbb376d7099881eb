import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../shared/apiserver/contract/resource.ts';
import { LAZY_RESOURCES } from '../../../../shared/apiserver/resources/lazy-resources.ts';
import { LAZY_STORED } from '../../../../shared/apiserver/resources/lazy-stored.ts';

const shapeOf = ({ group, version, kind, resource, namespaced, verbs, subresources }: Resource) => ({
  group,
  version,
  kind,
  resource,
  namespaced,
  verbs: Object.keys(verbs).toSorted(),
  subresources: Object.entries(subresources)
    .map(([name, part]) => [name, part.kind, part.group, Object.keys(part.verbs).toSorted()])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
});

describe('the rows of kinds that are loaded on demand', () => {
  it('have exactly the verbs that are loaded for them', () => {
    expect(LAZY_RESOURCES.map(shapeOf)).toEqual(LAZY_STORED.map(shapeOf));
  });
});
