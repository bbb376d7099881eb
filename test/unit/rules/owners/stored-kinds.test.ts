import { describe, expect, it } from 'vitest';
import { RESOURCES } from '../../../../shared/apiserver/resources/resources.ts';
import { apiVersionOf } from '../../../../shared/kinds/contract/strategy.ts';
import {
  isNamespacedOwner,
  NAMESPACED_KINDS,
  placeOfOwner,
  STORED_RESOURCES,
} from '../../../../shared/rules/owners/stored-kinds.ts';

/** Kinds that can be created and deleted are stored. */
const SERVED = RESOURCES.filter(({ verbs }) => verbs.create && verbs.delete);
const LEFT_OUT = ['events', 'leases'];

describe('the kinds that go with their namespace', () => {
  it('are those with a namespace that the API stores, Events once, and no Leases (K-42)', () => {
    const served = SERVED.filter(
      ({ namespaced, group, resource }) =>
        namespaced && resource !== 'leases' && !(group !== '' && resource === 'events'),
    );
    const named = served.map(({ group, version, resource }) => ({ group, version, resource }));
    expect(NAMESPACED_KINDS).toHaveLength(named.length);
    expect(NAMESPACED_KINDS).toEqual(expect.arrayContaining(named));
  });
});

describe('the kinds that the garbage collector knows', () => {
  it('are those that the API stores, but for Events and Leases (K-31)', () => {
    const stored = SERVED.map(({ resource }) => resource).filter((resource) => !LEFT_OUT.includes(resource));
    expect([...STORED_RESOURCES].toSorted()).toEqual([...new Set(stored)].toSorted());
  });

  it.each(
    SERVED.filter(({ resource }) => !LEFT_OUT.includes(resource)).map((one) => [one.kind, one] as const),
  )('have the scope of %s right (K-31)', (_, served) => {
    const owner = { apiVersion: apiVersionOf(served), kind: served.kind, name: 'o' };
    const { resource, namespaced } = served;
    expect(placeOfOwner(owner, 'ns')).toEqual({ resource, namespace: namespaced ? 'ns' : '', name: 'o' });
    expect(placeOfOwner(owner, '')).toEqual(namespaced ? undefined : { resource, namespace: '', name: 'o' });
    expect(isNamespacedOwner(owner)).toBe(namespaced);
  });

  it.each([
    ['example.com/v1', 'Foo'],
    ['apps/v1beta1', 'Deployment'],
    ['v1', 'Event'],
    ['coordination.k8s.io/v1', 'Lease'],
    ['v1', 'constructor'],
  ])('do not include %s %s, whose place nobody can say (K-31)', (apiVersion, kind) => {
    expect(placeOfOwner({ apiVersion, kind, name: 'o' }, 'ns')).toBeUndefined();
  });
});
