import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { liveRow, namespaceKey, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';

const MARKED = { metadata: { deletionTimestamp: '2026-03-01T12:00:00Z' } };

const setUp = () => {
  const clock = createVirtualClock();
  const state = createMemoryState();
  let ids = 0;
  const uuid = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  const deps = { ...state, clock, ids: { uuid, random: () => 0.5 } };
  const writer = createObjectWriter(deps);
  const write = (key: ObjectKey, next: ApiObject | 'delete') =>
    clock.run(writer.write(key, () => ({ next, writer: 'client' })));
  const namespace = (name: string, is: 'active' | 'marked' | 'gone') => {
    const metadata = { name, uid: `uid-of-${name}`, ...(is === 'marked' ? MARKED.metadata : {}) };
    return write(namespaceKey(name), { apiVersion: 'v1', kind: 'Namespace', metadata }).then(() =>
      is === 'gone' ? write(namespaceKey(name), 'delete') : undefined,
    );
  };
  const create = (
    namespaceOf: string,
    apiVersion = 'v1',
    key: ObjectKey = { resource: 'configmaps', namespace: namespaceOf, name: 'c' },
  ) => write(key, { apiVersion, kind: 'X', metadata: { name: key.name, namespace: namespaceOf, uid: 'u' } });
  return { ...deps, write, namespace, create };
};

describe('a write that creates an object', () => {
  it.each(['active', 'absent'] as const)('is committed if its namespace is %s (C-19)', async (is) => {
    const { namespace, create } = setUp();
    if (is === 'active') await namespace('ns1', is);
    expect(await create('ns1')).toMatchObject({ outcome: 'written' });
  });

  it('is refused with 403 and its cause if the namespace is being deleted (C-19)', async () => {
    const { namespace, create } = setUp();
    await namespace('ns1', 'marked');
    await expect(create('ns1', 'apps/v1')).rejects.toMatchObject({
      code: 403,
      message:
        'configmaps.apps "c" is forbidden: unable to create new content in namespace ns1 because it is being terminated',
      details: {
        group: 'apps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace ns1 is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  it('is refused with 404 if the namespace is gone (C-19)', async () => {
    const { namespace, create } = setUp();
    await namespace('ns1', 'gone');
    await expect(create('ns1')).rejects.toMatchObject({ code: 404, message: 'namespaces "ns1" not found' });
  });

  it('does not ask for namespaces that cannot be deleted (C-19)', async () => {
    const { namespace, create } = setUp();
    await namespace('default', 'marked');
    expect(await create('default')).toMatchObject({ outcome: 'written' });
  });

  it('gives its number up when it is refused, so that no reader waits for it (C-20)', async () => {
    const { namespace, create, objects } = setUp();
    await namespace('ns1', 'marked');
    await expect(create('ns1')).rejects.toMatchObject({ code: 403 });
    const { counter = 0 } = (await objects.counter('configmaps')) ?? {};
    expect((await objects.slots('configmaps', counter, counter)).slots.get(counter)).toMatchObject({
      slot: 'tombstone',
    });
  });
});

describe('a write that changes or deletes an object', () => {
  it('is committed while the namespace is being deleted (C-19)', async () => {
    const { namespace, create, write, objects } = setUp();
    await create('ns1');
    await namespace('ns1', 'marked');
    expect(await create('ns1', 'v2')).toMatchObject({ outcome: 'written' });
    const key = { resource: 'configmaps', namespace: 'ns1', name: 'c' };
    await write(key, 'delete');
    expect(liveRow(await objects.read(key))).toBeUndefined();
  });
});
