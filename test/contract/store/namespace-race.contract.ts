// A create that has read its namespace stalls before its commit until the namespace has been deleted and listed: it must not be written.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { liveRow, namespaceKey, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { createObjectWriter, type ObjectWriter } from '../../../shared/store/writer/object-writer.ts';

interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
}

const ids = { uuid: randomUUID, random: Math.random };
const KEY: ObjectKey = { resource: 'configmaps', namespace: 'ns1', name: 'late' };

const objectAt = ({ namespace, name }: ObjectKey, kind: string, mark: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-of-${name}`, ...(namespace ? { namespace } : {}), ...mark },
});

const put = (writer: ObjectWriter, key: ObjectKey, next: ApiObject | 'delete') =>
  writer.write(key, () => ({ next, writer: 'client' }));

/** The writer of a process that sends its first commit only when `gate` opens. */
const stalledWriter = (stores: Stores, gate: Promise<unknown>, onStall: () => void): ObjectWriter => {
  const commit: ObjectStore['commit'] = async (change) => {
    onStall();
    await gate;
    return stores.objects.commit(change);
  };
  return createObjectWriter({ ...stores, clock, ids, objects: { ...stores.objects, commit } });
};

/** Holds that no create outlives its namespace (V-17), on a store with real time. */
export const namespaceRaceContract = (name: string, create: () => Promise<Stores>): void => {
  it(`${name}: a create that stalls while its namespace is deleted is never written (V-17)`, async () => {
    const stores = await create();
    const writer = createObjectWriter({ ...stores, clock, ids });
    const namespace = namespaceKey('ns1');
    await put(writer, namespace, objectAt(namespace, 'Namespace'));

    const [gate, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = stalledWriter(stores, gate.promise, stalled.resolve);
    const created = put(late, KEY, objectAt(KEY, 'ConfigMap')).catch((error: unknown) => error);
    await stalled.promise;

    const deletionTimestamp = new Date(clock.now()).toISOString();
    await put(writer, namespace, objectAt(namespace, 'Namespace', { deletionTimestamp }));
    const { objects } = await createLister({ ...stores, clock, ids }).list({
      resource: 'configmaps',
      namespace: 'ns1',
    });
    expect(objects).toEqual([]);
    await put(writer, namespace, 'delete');
    gate.resolve();

    expect(await created).toMatchObject({ code: 404 });
    expect(liveRow(await stores.objects.read(KEY))).toBeUndefined();
  });
};
