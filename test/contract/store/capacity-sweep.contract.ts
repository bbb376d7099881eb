// Counters as a sweep reads and repairs them, and the record of how far it has come.
import { beforeEach, describe, expect, it } from 'vitest';
import type { CapacityStore } from '../../../shared/ports/store/capacity.ts';
import type { CapacitySweep, CapacitySweepStore } from '../../../shared/ports/store/capacity-sweep.ts';
import { type Counters, capacityDigest } from '../../../shared/rules/scheduling/node-counters.ts';
import { aNode } from '../../support/objects/domain-objects.ts';
import { T0 } from '../../support/stores/builders.ts';

interface SweepStores {
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
}

const DIGEST = capacityDigest(aNode());

const describeNode = ({ capacity }: SweepStores, node: string) =>
  capacity.write({ node, claims: [], digest: DIGEST, checks: [] });

const allNodes = async ({ capacitySweep }: SweepStores) => {
  const nodes = [];
  let after: string | undefined;
  do {
    const page = await capacitySweep.allCounters(after);
    nodes.push(...page.nodes);
    after = page.next;
  } while (after !== undefined);
  return nodes;
};

const countersContract = (stores: () => SweepStores): void => {
  describe('counters of all nodes', () => {
    it('are read page by page, each once', async () => {
      expect(await allNodes(stores())).toEqual([]);
      const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
      for (const name of names) await describeNode(stores(), name);
      const nodes = await allNodes(stores());
      expect(nodes.map(({ node }) => node).toSorted()).toEqual(names.toSorted());
      expect(nodes[0]).toEqual({ node: nodes[0]?.node, counters: new Map(), writes: 1, digest: DIGEST });
    });
  });

  describe('a repair of counters', () => {
    const counters: Counters = new Map([
      ['pods', 2],
      ['r/cpu', 500],
    ]);

    it('replaces them if they are as they were read, and counts as a write', async () => {
      await describeNode(stores(), 'n1');
      const read = await stores().capacity.counters('n1');
      if (!read) throw new Error('there are no counters');
      const repair = () => stores().capacitySweep.replaceCounters('n1', read, { counters, digest: DIGEST });
      expect(await repair()).toBe('written');
      expect(await stores().capacity.counters('n1')).toEqual({ counters, writes: 2, digest: DIGEST });
      expect(await repair()).toBe('refused');
    });

    it('removes a digest and counters that it leaves out', async () => {
      await describeNode(stores(), 'n1');
      const first = { counters: new Map(), writes: 1 };
      await stores().capacitySweep.replaceCounters('n1', first, { counters });
      const second = { counters, writes: 2 };
      await stores().capacitySweep.replaceCounters('n1', second, { counters: new Map([['pods', 2]]) });
      expect(await stores().capacity.counters('n1')).toEqual({ counters: new Map([['pods', 2]]), writes: 3 });
    });

    it('makes counters where there were none, and only there', async () => {
      const nothing = { counters: new Map(), writes: 0 };
      const make = () => stores().capacitySweep.replaceCounters('n1', nothing, { counters });
      expect(await make()).toBe('written');
      expect(await make()).toBe('refused');
    });

    it('deletes them if they are as they were read', async () => {
      await describeNode(stores(), 'n1');
      const remove = (writes: number) =>
        stores().capacitySweep.replaceCounters('n1', { counters: new Map(), writes }, undefined);
      expect(await remove(2)).toBe('refused');
      expect(await remove(1)).toBe('written');
      expect(await stores().capacity.counters('n1')).toBeUndefined();
    });
  });
};

const recordContract = (stores: () => SweepStores): void => {
  describe('the record of the sweep', () => {
    const first: CapacitySweep = { version: 1, leaseUntil: T0, isClean: true, isReconciled: false };

    it('is stored by one of two turns that have read the same', async () => {
      const { read, store } = stores().capacitySweep;
      expect(await read()).toBeUndefined();
      expect(await store({ ...first, version: 2 })).toBe(false);
      expect(await store({ ...first, position: 'nodes/n1' })).toBe(true);
      expect(await store({ ...first, position: 'nodes/n2' })).toBe(false);
      expect(await read()).toEqual({ ...first, position: 'nodes/n1' });
    });

    it('keeps nothing of the record before', async () => {
      const { read, store } = stores().capacitySweep;
      await store({ ...first, position: '' });
      const ended = { ...first, version: 2, endedAt: T0 + 1, isReconciled: true, isClean: false };
      expect(await store(ended)).toBe(true);
      expect(await read()).toEqual(ended);
    });
  });
};

export const capacitySweepContract = (name: string, create: () => Promise<SweepStores>): void => {
  describe(`CapacitySweepStore: ${name}`, () => {
    let stores: SweepStores;
    const current = () => stores;
    beforeEach(async () => {
      stores = await create();
    });
    countersContract(current);
    recordContract(current);
  });
};
