/** The index of free volumes finds what a look at each of them finds, whatever came and went before. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import { compareQuantities } from '../../../../shared/kube/values/quantity.ts';
import { createFreeVolumes } from '../../../../shared/rules/storage/free-volumes.ts';
import { createSortedList } from '../../../../shared/rules/storage/sorted-list.ts';
import { capacityOf } from '../../../../shared/rules/storage/volume-candidates.ts';
import { suits } from '../../../../shared/rules/storage/volume-matching.ts';
import { aClaim, aVolume } from '../../../support/objects/storage-objects.ts';

const byNumber = (a: number, b: number): number => a - b;

it('K-92 a sorted list holds each entry once and in order, whatever came and went', () => {
  const step = fc.record({
    adds: fc.boolean(),
    from: fc.nat(1_500),
    count: fc.integer({ min: 1, max: 700 }),
  });
  const steps = fc.array(step, { maxLength: 12 });
  fc.assert(
    fc.property(steps, fc.nat(1_500), (all, bound) => {
      const [list, expected] = [createSortedList(byNumber), new Set<number>()];
      // 7919 is prime to the modulus, so that the entries come in no order.
      for (const { adds, from, count } of all)
        for (let index = 0; index < count; index += 1) {
          const entry = (from + index * 7919) % 2_003;
          if (adds) list.add(entry);
          else list.remove(entry);
          if (adds) expected.add(entry);
          else expected.delete(entry);
        }
      expect([...list.from(-1)]).toEqual([...expected].toSorted(byNumber));
      expect([...list.from(bound)]).toEqual([...expected].filter((one) => one >= bound).toSorted(byNumber));
      expect(list.size()).toBe(expected.size);
    }),
  );
});

const size = fc.constantFrom('1Gi', '1024Mi', '2Gi', '5Gi');
const modes = fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'], { minLength: 1 });
const className = fc.constantFrom('', 'fast');
const labels = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('1', '2'));

const volume = fc
  .record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), size, modes, className, labels })
  .map(
    ({
      name,
      size: storage,
      modes: accessModes,
      className: storageClassName,
      labels: own,
    }): PersistentVolume =>
      aVolume(
        name,
        { capacity: { storage }, accessModes, storageClassName },
        { metadata: { name, labels: own } },
      ),
  );

const claim = fc.record({ size, modes, className, matchLabels: fc.option(labels, { nil: undefined }) }).map(
  ({ size: storage, modes: accessModes, className: storageClassName, matchLabels }): PersistentVolumeClaim =>
    aClaim('data', {
      resources: { requests: { storage } },
      accessModes,
      storageClassName,
      ...(matchLabels ? { selector: { matchLabels } } : {}),
    }),
);

const byFewestModesThenSizeThenName = (a: PersistentVolume, b: PersistentVolume): number =>
  (a.spec?.accessModes ?? []).length - (b.spec?.accessModes ?? []).length ||
  compareQuantities(capacityOf(a), capacityOf(b)) ||
  (a.metadata.name < b.metadata.name ? -1 : 1);

it('K-92 the smallest free volume that suits a claim is found, by labels too', () => {
  const some = fc.record({ came: fc.array(volume), went: fc.array(fc.nat(30)), claim });
  let found = 0;
  fc.assert(
    fc.property(some, ({ came, went, claim: wanted }) => {
      const free = createFreeVolumes();
      const left = new Map<string, PersistentVolume>();
      const remove = (name: string): void => {
        const one = left.get(name);
        if (one) free.remove(one);
        left.delete(name);
      };
      for (const one of came) {
        remove(one.metadata.name);
        free.add(one);
        left.set(one.metadata.name, one);
      }
      for (const index of went) remove(came[index]?.metadata.name ?? '');
      const suitable = [...left.values()].filter((one) => suits(one, wanted));
      // Among shelves of equally many modes any may come first.
      const fewest = suitable.toSorted(byFewestModesThenSizeThenName)[0]?.spec?.accessModes?.length;
      const best = suitable.filter(({ spec }) => spec?.accessModes?.length === fewest);
      const chosen = free.smallestFor(wanted);
      expect(chosen === undefined).toBe(best.length === 0);
      if (!chosen) return;
      const peers = best.filter(
        ({ spec }) => spec?.accessModes?.toSorted().join() === chosen.spec?.accessModes?.toSorted().join(),
      );
      expect(peers.toSorted(byFewestModesThenSizeThenName)[0]).toEqual(chosen);
      found += 1;
    }),
  );
  expect(found).toBeGreaterThan(0);
});
