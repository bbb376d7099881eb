/** Lists of the pods without a node, by their index: `spec.nodeName=` as a field selector. */
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { eventual } from '../../../../shared/ports/store/eventual.ts';
import { DYNAMODB_LAG, type ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';

const keyOf = (name: string) => ({ resource: 'pods', namespace: 'default', name });
const podOf = (name: string, nodeName?: string): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, uid: name },
    spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
  }) as ApiObject;

/** A store whose index shows what it has shown when `freeze` was called. */
const setUp = () => {
  const clock = createVirtualClock();
  const { objects, heartbeats } = createMemoryState();
  const ids = { uuid: () => `${clock.now()}-${Math.trunc(performance.now() * 1e6)}`, random: () => 0.5 };
  let frozen: readonly LiveRow[] | undefined;
  const read = { pages: 0, rows: 0 };
  const lagging: ObjectStore = {
    ...objects,
    lag: DYNAMODB_LAG,
    page: async (query) => {
      read.pages += 1;
      return await objects.page(query);
    },
    async *unboundPods() {
      for await (const { value } of objects.unboundPods()) {
        const rows = frozen ?? value;
        read.rows += rows.length;
        yield eventual(rows);
      }
    },
  };
  const writer = createObjectWriter({ objects, heartbeats, clock, ids });
  const lister = createLister({ objects: lagging, clock, ids });
  return {
    clock,
    read,
    freeze: async () => {
      frozen = (await Array.fromAsync(objects.unboundPods())).flatMap(({ value }) => value);
    },
    write: (name: string, nodeName?: string) =>
      writer.write(keyOf(name), () => ({ next: podOf(name, nodeName), writer: 'client' })),
    names: async (limit = 0) => {
      const request = { resource: 'pods', namespace: '', source: { unbound: true }, limit } as const;
      const { objects: found } = await clock.run(lister.list(request));
      return found.map(({ metadata }) => metadata.name);
    },
  };
};

describe('a list of the pods without a node', () => {
  it('reads their index, and no page of all pods', async () => {
    const { write, names, read } = setUp();
    await write('bound', 'n1');
    await write('b');
    await write('a');
    expect(await names()).toEqual(['a', 'b']);
    expect(await names(1)).toEqual(['a']);
    expect(read).toEqual({ pages: 0, rows: 4 });
  });

  it('is exact where the index lags: pods that were bound or came meanwhile', async () => {
    const { write, names, freeze } = setUp();
    await write('waits');
    await write('is-bound');
    await freeze();
    await write('is-bound', 'n1');
    await write('is-new');
    expect(await names()).toEqual(['is-new', 'waits']);
  });

  it('reads pages of all pods if more than 1,000 wait', async () => {
    const { write, names, read } = setUp();
    for (let n = 0; n < 1_001; n += 1) await write(`p${String(n).padStart(4, '0')}`);
    expect(await names(2)).toEqual(['p0000', 'p0001']);
    expect(read.pages).toBe(1);
  });
});
