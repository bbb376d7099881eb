import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../shared/apiserver/resource.ts';
import { PLAIN_RESOURCES } from '../../../shared/apiserver/resources/plain-resources.ts';
import { PLAIN_STORED } from '../../../shared/apiserver/resources/plain-stored.ts';

const shapeOf = ({ group, version, kind, resource, namespaced, verbs, subresources }: Resource) => ({
  ...{ group, version, kind, resource, namespaced },
  verbs: Object.keys(verbs).toSorted(),
  subresources: Object.entries(subresources)
    .map(([name, part]) => [name, part.kind, part.group, Object.keys(part.verbs).toSorted()])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
});

describe('the rows of plain kinds', () => {
  it('have exactly the verbs that are loaded for them', () => {
    expect(PLAIN_RESOURCES.map(shapeOf)).toEqual(PLAIN_STORED.map(shapeOf));
  });
});
