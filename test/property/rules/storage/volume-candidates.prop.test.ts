/** The layout of volumes by labels of nodes finds what a look at each volume finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { PersistentVolume } from '../../../../shared/kube/types/storage.ts';
import { quantityMilliValue } from '../../../../shared/kube/values/quantity.ts';
import { capacityOf, createCandidates, usable } from '../../../../shared/rules/storage/volume-candidates.ts';
import { aVolume } from '../../../support/objects/storage-objects.ts';

const key = fc.constantFrom('zone', 'disk');
const value = fc.constantFrom('', '1', '2');
const requirement = fc.record({
  key,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.uniqueArray(value, { maxLength: 2 }),
});
const term = fc.record({ matchExpressions: fc.array(requirement, { maxLength: 2 }) });
const affinity = fc.option(fc.array(term, { maxLength: 2 }), { nil: undefined });
const storage = fc.constantFrom('1Gi', '1024Mi', '2Gi');

const volumes = fc.array(fc.record({ affinity, storage }), { maxLength: 12 }).map((all) =>
  all.map(({ affinity: nodeSelectorTerms, storage: size }, index) =>
    aVolume(`v${(index * 7) % 12}`, {
      capacity: { storage: size },
      ...(nodeSelectorTerms ? { nodeAffinity: { required: { nodeSelectorTerms } } } : {}),
    }),
  ),
);
const node = fc
  .dictionary(key, value)
  .map((labels): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, spec: {} }));

const sizeOf = (volume: PersistentVolume): number => quantityMilliValue(capacityOf(volume));

it('M-10 each node gets the volumes that it can use, the smallest first, then by name', () => {
  fc.assert(
    fc.property(volumes, node, (all, on) => {
      const candidates = createCandidates(all);
      const expected = all
        .filter((volume) => usable(volume).isUsableOn(on))
        .toSorted((a, b) => sizeOf(a) - sizeOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
      const taken = new Set<PersistentVolume>();
      for (const volume of [...expected, undefined]) {
        const best = candidates.bestOn(on, taken);
        expect(best?.metadata.name).toBe(volume?.metadata.name);
        if (best) taken.add(best);
      }
    }),
    { numRuns: 1_000 },
  );
});
