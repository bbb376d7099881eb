import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/namespace/reconcile.ts';
import type { Namespace } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, namespaceKey, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { collected } from '../../../../shared/rules/owners/collect.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const S = 1_000;

interface Given {
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly spec?: object;
}

const createWorld = (options: Parameters<typeof createMemoryControlPlane>[0] = {}) => {
  const plane = createMemoryControlPlane(options);
  const add = async (resource: string, name: string, given: Given = {}): Promise<void> => {
    const { namespace = 'ns1', finalizers, spec } = given;
    const metadata = {
      name,
      namespace,
      uid: `uid-of-${namespace}-${name}`,
      creationTimestamp: toTime(plane.clock.now()),
      ...(finalizers ? { finalizers } : {}),
    };
    const next: ApiObject = { apiVersion: 'v1', kind: 'X', metadata, ...(spec ? { spec } : {}) };
    await plane.writer.write({ resource, namespace, name }, () => ({ next, writer: 'client' }));
  };
  const addNamespace = (name = 'ns1', uid = `uid-of-${name}`): Promise<unknown> => {
    const metadata = { name, uid, creationTimestamp: toTime(plane.clock.now()) };
    const next: Namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
    return plane.writer.write(namespaceKey(name), () => ({ next, writer: 'client' }));
  };
  const remove = (key: ObjectKey) =>
    plane.writer.write(key, (row, now) => {
      const found = liveRow(row);
      const next = found && collected(key.resource, found.object, 'Background', now);
      return next && { ...next, writer: 'client' };
    });
  const read = async (key: ObjectKey): Promise<ApiObject | undefined> =>
    liveRow(await plane.state.objects.read(key))?.object;
  const readNamespace = (name = 'ns1') => read(namespaceKey(name)) as Promise<Namespace | undefined>;
  const names = async (): Promise<readonly string[]> => {
    const resources = ['pods', 'configmaps', 'secrets', 'events'];
    const pages = await Promise.all(
      resources.map((resource) => plane.state.objects.page({ resource, namespace: 'ns1' })),
    );
    return pages.flatMap(({ rows }) => rows.map(({ key }) => key.name));
  };
  return { plane, add, addNamespace, remove, read, readNamespace, names };
};

const begin = async (world: ReturnType<typeof createWorld>): Promise<void> => {
  await world.remove(namespaceKey('ns1'));
};

const conditions = (namespace: Namespace | undefined): readonly string[] =>
  (namespace?.status?.conditions ?? []).map(({ type, status }) => `${type} ${status}`);

const BOUND = { nodeName: 'n1', terminationGracePeriodSeconds: 30 };

describe('a namespace that is deleted', () => {
  it('is left alone for five seconds, then emptied and removed, and no other is (K-42)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.add('configmaps', 'c');
    await world.add('events', 'e');
    await world.add('configmaps', 'c', { namespace: 'other' });
    await begin(world);
    await world.plane.run(4.9 * S);
    expect(await world.names()).toEqual(['c', 'e']);
    await world.plane.run(2 * S);
    expect([await world.names(), await world.readNamespace()]).toEqual([[], undefined]);
    expect(await world.read({ resource: 'configmaps', namespace: 'other', name: 'c' })).toBeDefined();
    expect(world.plane.failures).toEqual([]);
  });

  it('shows its five conditions before it goes (K-46)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await begin(world);
    await world.plane.run(8 * S);
    const seen = world.plane.commits
      .map(({ change }) => liveRow(change.after))
      .filter((row) => row?.key.resource === 'namespaces')
      .map((row) => conditions(row?.object));
    expect(seen.find((one) => one.length > 0)).toEqual([
      'NamespaceDeletionDiscoveryFailure False',
      'NamespaceDeletionGroupVersionParsingFailure False',
      'NamespaceDeletionContentFailure False',
      'NamespaceContentRemaining False',
      'NamespaceFinalizersRemaining False',
    ]);
  });

  it('loses its pods first, and nothing else while one is left; looks come after 5, 10 and 26 s (K-42, K-45, K-48)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.add('pods', 'graceful', { spec: BOUND });
    await world.add('pods', 'free', { spec: {} });
    await world.add('configmaps', 'plain');
    await world.add('configmaps', 'held', { finalizers: ['example.com/f'] });
    await begin(world);
    await world.plane.run(6 * S);
    expect(await world.names()).toEqual(['graceful', 'held', 'plain']);
    expect(conditions(await world.readNamespace()).slice(3)).toEqual([
      'NamespaceContentRemaining True',
      'NamespaceFinalizersRemaining False',
    ]);

    await world.plane.run(6 * S);
    await world.plane.writer.write({ resource: 'pods', namespace: 'ns1', name: 'graceful' }, () => ({
      next: 'delete',
      writer: 'client',
    }));
    await world.plane.run(13 * S);
    expect(await world.names()).toEqual(['held', 'plain']);
    await world.plane.run(3 * S);
    expect(await world.names()).toEqual(['held']);
    expect(conditions(await world.readNamespace()).slice(3)).toEqual([
      'NamespaceContentRemaining True',
      'NamespaceFinalizersRemaining True',
    ]);

    await world.plane.writer.write({ resource: 'configmaps', namespace: 'ns1', name: 'held' }, () => ({
      next: 'delete',
      writer: 'client',
    }));
    await world.plane.run(6 * S);
    expect(await world.readNamespace()).toBeUndefined();
  });

  it('does not wait for finalizers of the garbage collector (K-42)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.add('configmaps', 'owner', { finalizers: ['orphan'] });
    await begin(world);
    await world.plane.run(8 * S);
    expect(await world.readNamespace()).toBeUndefined();
  });

  it('loses its Leases, and no others (K-42)', async () => {
    const world = createWorld();
    await world.addNamespace();
    const lease = { uid: 'l', createdAt: 0, spec: {}, metadata: {} };
    for (const namespace of ['ns1', 'other'])
      await world.plane.state.heartbeats.writeLease({ key: { namespace, name: 'l' }, lease, at: 1 });
    await begin(world);
    await world.plane.run(8 * S);
    const leaseOf = async (namespace: string) =>
      (await world.plane.state.heartbeats.read({ namespace, name: 'l' }))?.lease;
    expect([await leaseOf('ns1'), (await leaseOf('other'))?.uid]).toEqual([undefined, 'l']);
  });

  it('is found by the sweep if its message was lost (K-50)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.plane.run(S);
    world.plane.set('stream', false);
    await begin(world);
    await world.plane.run(30 * S);
    expect(await world.readNamespace()).toBeDefined();
    await world.plane.run(120 * S);
    expect(await world.readNamespace()).toBeUndefined();
  });

  it('is made again, empty, if it is a built-in one (K-51)', async () => {
    const world = createWorld();
    await world.addNamespace('kube-node-lease');
    await world.add('configmaps', 'c', { namespace: 'kube-node-lease' });
    await world.remove(namespaceKey('kube-node-lease'));
    await world.plane.run(8 * S);
    const again = await world.readNamespace('kube-node-lease');
    expect([again?.status, again?.metadata.uid === 'uid-of-kube-node-lease']).toEqual([
      { phase: 'Active' },
      false,
    ]);
    const key = { resource: 'configmaps', namespace: 'kube-node-lease', name: 'c' };
    expect(await world.read(key)).toBeUndefined();
  });

  it('is made again by the sweep if its return was interrupted (K-51)', async () => {
    const world = createWorld();
    await world.addNamespace('kube-node-lease');
    await world.plane.writer.write(namespaceKey('kube-node-lease'), () => ({
      next: 'delete',
      writer: 'client',
    }));
    await world.plane.run(61 * S);
    expect((await world.readNamespace('kube-node-lease'))?.status?.phase).toBe('Active');
  });

  it('says what could not be deleted, deletes the rest, and tries again (K-47)', async () => {
    let isBroken = true;
    const world = createWorld({
      invocation: (ports) => ({
        ...ports,
        objects: {
          ...ports.objects,
          commit: async (commit) => {
            if (isBroken && commit.key.name === 'bad') throw new Error('no way');
            return ports.objects.commit(commit);
          },
        },
      }),
    });
    await world.addNamespace();
    for (const name of ['bad', 'good']) await world.add('configmaps', name);
    await begin(world);
    await world.plane.run(6 * S);
    expect(await world.names()).toEqual(['bad']);
    const failure = (await world.readNamespace())?.status?.conditions?.[2];
    expect([failure?.status, failure?.message]).toEqual([
      'True',
      'Failed to delete all resource types, 1 remaining: no way',
    ]);
    isBroken = false;
    await world.plane.run(5 * S);
    expect(await world.readNamespace()).toBeUndefined();
  });

  it('with more objects than a look can delete is emptied by several, without a wait between them (K-52)', async () => {
    const world = createWorld({
      invocation: (ports) => ({
        ...ports,
        objects: {
          ...ports.objects,
          commit: async (commit) => {
            await ports.clock.sleep(40);
            return ports.objects.commit(commit);
          },
        },
      }),
    });
    await world.addNamespace();
    for (let index = 0; index < 6_000; index += 1) await world.add('configmaps', `c${index}`);
    await begin(world);
    await world.plane.run(7 * S);
    expect((await world.names()).length).toBeGreaterThan(4_000);
    await world.plane.run(18 * S);
    expect([await world.names(), await world.readNamespace()]).toEqual([[], undefined]);
  }, 60_000);
});

describe('a look', () => {
  it('whose namespace is gone does nothing, also if there is a new one of the same name (K-53)', async () => {
    const world = createWorld();
    await world.addNamespace('ns1', 'second');
    await world.add('configmaps', 'c');
    const message = { v: 1, name: 'ns1', uid: 'first' } as const;
    const report = await world.plane.clock.run(reconcile(world.plane.invoke(), message));
    expect([report, await world.names()]).toEqual([{ deleted: 0, finished: 0, errors: [] }, ['c']]);
  });

  it('that lists objects of a new namespace of the same name leaves them alone (K-53)', async () => {
    const world = createWorld();
    await world.addNamespace('ns1', 'first');
    await begin(world);
    const ports = world.plane.invoke();
    let isReplaced = false;
    const page: typeof ports.objects.page = async (query) => {
      if (!isReplaced) {
        isReplaced = true;
        await world.plane.writer.write(namespaceKey('ns1'), () => ({ next: 'delete', writer: 'client' }));
        await world.addNamespace('ns1', 'second');
        await world.add('pods', 'p', { spec: {} });
      }
      return ports.objects.page(query);
    };
    const deps = { ...ports, objects: { ...ports.objects, page } };
    const report = await world.plane.clock.run(reconcile(deps, { v: 1, name: 'ns1', uid: 'first' }));
    expect([report.deleted, await world.names()]).toEqual([0, ['p']]);
  });

  it('that ends early and has changed nothing is repeated after five seconds (K-52)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.add('configmaps', 'held', { finalizers: ['example.com/f'] });
    await world.remove({ resource: 'configmaps', namespace: 'ns1', name: 'held' });
    await begin(world);
    const ports = world.plane.invoke();
    const sent: unknown[] = [];
    const send: typeof ports.queues.send = async (_queue, messages) => void sent.push(...messages);
    const page: typeof ports.objects.page = async (query) => {
      await ports.clock.sleep(11 * S);
      return ports.objects.page(query);
    };
    const deps = { ...ports, queues: { send }, objects: { ...ports.objects, page } };
    await world.plane.clock.run(reconcile(deps, { v: 1, name: 'ns1', uid: 'uid-of-ns1' }));
    expect(sent).toEqual([
      { body: { v: 1, name: 'ns1', uid: 'uid-of-ns1', looks: 1, failures: 0 }, delaySeconds: 5 },
    ]);
  });

  it('that is repeated because its message came twice does no harm (K-50)', async () => {
    const world = createWorld();
    await world.addNamespace();
    await world.add('configmaps', 'c');
    await begin(world);
    const { uid = '' } = (await world.readNamespace())?.metadata ?? {};
    const look = () => world.plane.clock.run(reconcile(world.plane.invoke(), { v: 1, name: 'ns1', uid }));
    expect(await look()).toEqual({ deleted: 1, finished: 1, errors: [] });
    expect(await look()).toEqual({ deleted: 0, finished: 0, errors: [] });
  });
});
