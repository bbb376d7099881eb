import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { JsonObject } from '../../../../shared/kube/json/json-object.ts';
import { applyConfiguration } from '../../../../shared/kube/managed-fields/apply.ts';
import { readManagers } from '../../../../shared/kube/managed-fields/field-managers.ts';
import { difference, isEmptySet } from '../../../../shared/kube/managed-fields/field-set.ts';
import { fieldSetOf, withStructs } from '../../../../shared/kube/managed-fields/set-of.ts';
import { trackUpdate } from '../../../../shared/kube/managed-fields/track.ts';
import { mergeTyped } from '../../../../shared/kube/managed-fields/typed-merge.ts';
import { decode } from '../../../../shared/kube/schema/decode.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';

const NODE = kindSchema('core.v1.Node');

const configs = fc.record(
  {
    metadata: fc.record(
      {
        labels: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), { minKeys: 1 }),
        finalizers: fc.uniqueArray(fc.constantFrom('x/a', 'x/b'), { minLength: 1 }),
      },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      { unschedulable: fc.constant(true), taints: fc.constantFrom([{ key: 'a' }], [{ key: 'b' }]) },
      { requiredKeys: [] },
    ),
    status: fc.record({
      conditions: fc.uniqueArray(
        fc.record({ type: fc.constantFrom('A', 'B', 'C'), status: fc.constantFrom('True', 'False') }),
        { selector: ({ type }) => type, minLength: 1 },
      ),
    }),
  },
  { requiredKeys: ['metadata'] },
);

const steps = fc.array(
  fc.record({
    config: configs,
    manager: fc.constantFrom('m1', 'm2', 'm3'),
    operation: fc.constantFrom('Apply', 'Update'),
    force: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

interface Live extends JsonObject {
  readonly metadata: JsonObject;
}

const writeOf = ({ manager, operation }: Step, time: string) => ({
  schema: NODE,
  name: { manager, operation, apiVersion: 'v1' },
  ignored: [],
  time,
});

// As it is stored: what is empty is not there.
const owned = (object: object, managedFields: readonly JsonObject[]): Live => {
  const stored = decode(object, NODE);
  const { metadata = {} } = stored as { readonly metadata?: JsonObject };
  return { ...stored, metadata: { ...metadata, managedFields } };
};

const step = (live: Live | undefined, one: Step, time = '2026-01-01T00:00:00Z'): Live | undefined => {
  const write = writeOf(one, time);
  if (one.operation === 'Update' && live) {
    const next = decode(one.config, NODE) as Live;
    return owned(next, trackUpdate(live, next, write));
  }
  try {
    const given = {
      write: { ...write, name: { ...write.name, operation: 'Apply' as const } },
      force: one.force,
    };
    const { object, managedFields } = applyConfiguration(live, one.config, given);
    return owned(object, managedFields);
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    return live;
  }
};

it('no manager owns a field that the object does not have', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const live = all.reduce<Live | undefined>((object, one) => step(object, one), undefined);
      if (!live) return;
      const present = withStructs(fieldSetOf(live, NODE), NODE);
      for (const { fields } of (readManagers(live.metadata['managedFields']) ?? new Map()).values()) {
        // A container may be owned itself, and be empty.
        const missing = difference(fields, present);
        expect(containersAside(missing)).toBe(true);
      }
    }),
  );
});

const CONTAINERS = new Set(['f:labels', 'f:finalizers', 'f:conditions', 'f:status', 'f:spec']);

const containersAside = (set: ReturnType<typeof difference>, name = ''): boolean =>
  (!set.isMember || CONTAINERS.has(name)) &&
  [...set.children].every(([element, child]) => containersAside(child, element));

it('the applied fields are in the object, and applying them again changes nothing', () => {
  fc.assert(
    fc.property(steps, configs, (all, config) => {
      const live = all.reduce<Live | undefined>((object, one) => step(object, one), undefined);
      const last: Step = { config, manager: 'm1', operation: 'Apply', force: true };
      const first = step(live, last);
      const merged = mergeTyped(first, config, NODE) as object;
      expect(owned(merged, first?.metadata['managedFields'] as readonly JsonObject[])).toEqual(first);
      expect(step(first, last, '2026-01-02T00:00:00Z')).toEqual(first);
    }),
  );
});

// An update may leave an element with two owners of its parts, of whom one can remove it as a whole.
it('an apply without force takes no field from other appliers', () => {
  fc.assert(
    fc.property(steps, configs, (all, config) => {
      const live = all
        .filter(({ operation }) => operation === 'Apply')
        .reduce<Live | undefined>((object, one) => step(object, one), undefined);
      const after = step(live, { config, manager: 'm1', operation: 'Apply', force: false });
      const others = (object: Live | undefined) =>
        [...(readManagers(object?.metadata['managedFields']) ?? new Map())].filter(
          ([id]) => !id.includes('"m1"'),
        );
      const kept = new Map(others(after));
      for (const [id, { fields }] of others(live)) {
        const now = kept.get(id);
        expect(now && isEmptySet(difference(fields, now.fields))).toBe(true);
      }
    }),
  );
});
