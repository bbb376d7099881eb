import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/garbage-collector/reconcile.ts';
import type { ApiObject, OwnerReference } from '../../../../shared/kube/types/meta.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { collected } from '../../../../shared/rules/owners/collect.ts';
import type { PropagationPolicy } from '../../../../shared/rules/owners/garbage.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { aCommit, podFacts } from '../../../support/stores/builders.ts';

const KINDS: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  namespaces: 'Namespace',
  nodes: 'Node',
  persistentvolumes: 'PersistentVolume',
  pods: 'Pod',
};

interface Given {
  readonly resource?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly spec?: object;
}

const createWorld = () => {
  const plane = createMemoryControlPlane();
  const keyOf = (
    name: string,
    { resource = 'configmaps', namespace = 'default' }: Given = {},
  ): ObjectKey => ({
    resource,
    namespace: ['configmaps', 'pods'].includes(resource) ? namespace : '',
    name,
  });
  const add = async (name: string, given: Given = {}): Promise<ApiObject> => {
    const key = keyOf(name, given);
    const { owners, finalizers, uid = `${name}-uid`, spec } = given;
    const metadata = {
      name,
      uid,
      ...(key.namespace ? { namespace: key.namespace } : {}),
      ...(owners ? { ownerReferences: owners } : {}),
      ...(finalizers ? { finalizers } : {}),
      creationTimestamp: toTime(plane.clock.now()),
    };
    const next: ApiObject = {
      apiVersion: 'v1',
      kind: KINDS[key.resource] ?? '',
      metadata,
      ...(spec ? { spec } : {}),
    };
    await plane.writer.write(key, () => ({ next, writer: 'client' }));
    return next;
  };
  const remove = async (
    name: string,
    policy: PropagationPolicy = 'Background',
    given: Given = {},
  ): Promise<void> => {
    const key = keyOf(name, given);
    await plane.writer.write(key, (row, now) => {
      const found = liveRow(row);
      const next = found && collected(key.resource, found.object, policy, now);
      return next && { ...next, writer: 'client' };
    });
  };
  const read = async (name: string, given: Given = {}): Promise<ApiObject | undefined> =>
    liveRow(await plane.state.objects.read(keyOf(name, given)))?.object;
  const names = async (resource = 'configmaps'): Promise<readonly string[]> =>
    (await plane.state.objects.page({ resource, namespace: '' })).rows.map(({ key }) => key.name);
  const events = async (): Promise<readonly string[]> =>
    (await plane.state.objects.page({ resource: 'events', namespace: '' })).rows.map(({ object }) => {
      const { reason, message } = object as ApiObject & { readonly reason: string; readonly message: string };
      return `${reason}: ${message}`;
    });
  /** Long enough for all messages, shorter than a sweep. */
  const quiet = () => plane.run(60_000);
  return { plane, keyOf, add, remove, read, names, events, quiet };
};

const owner = (
  { apiVersion, kind, metadata }: ApiObject,
  flags: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  ...flags,
});
const BLOCKING = { blockOwnerDeletion: true } as const;

/** An owner with two children, one of which has a child. */
const family = async ({ add }: ReturnType<typeof createWorld>) => {
  const parent = await add('parent');
  await add('child1', { owners: [owner(parent)] });
  const child = await add('child2', { owners: [owner(parent, BLOCKING)] });
  await add('grandchild', { owners: [owner(child, BLOCKING)] });
};

describe('the garbage collector', () => {
  it('leaves objects alone whose owners live (K-34)', async () => {
    const world = createWorld();
    await family(world);
    await world.quiet();
    expect(await world.names()).toEqual(['child1', 'child2', 'grandchild', 'parent']);
  });

  it('deletes all that belongs to an owner that is gone (K-35)', async () => {
    const world = createWorld();
    await family(world);
    await world.remove('parent');
    await world.quiet();
    expect(await world.names()).toEqual([]);
    expect(await world.events()).toEqual([]);
  });

  it('deletes in the foreground from the leaves up (K-36)', async () => {
    const world = createWorld();
    await family(world);
    await world.remove('parent', 'Foreground');
    await world.quiet();
    expect(await world.names()).toEqual([]);
    const gone = world.plane.commits
      .filter(({ change }) => change.after?.state === 'marker')
      .map(({ change }) => change.after?.key.name);
    expect(gone.indexOf('grandchild')).toBeLessThan(gone.indexOf('child2'));
    expect(gone.indexOf('child2')).toBeLessThan(gone.indexOf('parent'));
  });

  it('lets an owner wait for blocking dependents only (K-38)', async () => {
    const world = createWorld();
    const parent = await world.add('parent');
    await world.add('free', { owners: [owner(parent)], finalizers: ['a.b/c'] });
    await world.add('blocking', { owners: [owner(parent, BLOCKING)], finalizers: ['a.b/c'] });
    await world.remove('parent', 'Foreground');
    await world.quiet();
    expect(await world.names()).toEqual(['blocking', 'free', 'parent']);
    await world.plane.writer.write(world.keyOf('blocking'), () => ({ next: 'delete', writer: 'client' }));
    await world.quiet();
    expect(await world.names()).toEqual(['free']);
    expect((await world.read('free'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('frees a waiting owner when a dependent blocks it no longer (K-38)', async () => {
    const world = createWorld();
    const parent = await world.add('parent');
    await world.add('child', { owners: [owner(parent, BLOCKING)], finalizers: ['a.b/c'] });
    await world.remove('parent', 'Foreground');
    await world.quiet();
    await world.plane.writer.write(world.keyOf('child'), (row) => {
      const child = liveRow(row)?.object;
      if (!child) return undefined;
      return {
        next: { ...child, metadata: { ...child.metadata, ownerReferences: [owner(parent)] } },
        writer: 'client',
      };
    });
    await world.quiet();
    expect(await world.names()).toEqual(['child']);
  });

  it('leaves the dependents of an owner with the policy Orphan, without its reference (K-39)', async () => {
    const world = createWorld();
    await family(world);
    await world.remove('parent', 'Orphan');
    await world.quiet();
    expect(await world.names()).toEqual(['child1', 'child2', 'grandchild']);
    expect((await world.read('child2'))?.metadata).not.toHaveProperty('ownerReferences');
    expect((await world.read('grandchild'))?.metadata.ownerReferences).toHaveLength(1);
  });

  it('cuts references to owners that are gone while another one keeps the object (K-34)', async () => {
    const world = createWorld();
    const [a, b] = [await world.add('a'), await world.add('b')];
    await world.add('child', { owners: [owner(a), owner(b)] });
    await world.remove('a');
    await world.quiet();
    expect((await world.read('child'))?.metadata.ownerReferences).toEqual([owner(b)]);
    await world.remove('b');
    await world.quiet();
    expect(await world.read('child')).toBeUndefined();
  });

  it.each<[string, Partial<OwnerReference>, readonly string[]]>([
    ['that never was', { name: 'never', uid: 'never-uid' }, []],
    ['of another uid', { name: 'there', uid: 'other-uid' }, []],
    ['of a kind that is not served', { apiVersion: 'example.com/v1', kind: 'Foo' }, ['child']],
    ['that is a Lease', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }, ['child']],
  ])('sees to a new object with an owner %s (K-31, K-35)', async (_, reference, left) => {
    const world = createWorld();
    const there = await world.add('there');
    await world.add('child', { owners: [owner(there, reference)] });
    await world.quiet();
    expect((await world.names()).filter((name) => name === 'child')).toEqual(left);
  });

  it.each(['team', 'kube-system'])(
    'deletes an object whose owner is in the namespace %s, and says so (K-31)',
    async (namespace) => {
      const world = createWorld();
      await world.add('team', { resource: 'namespaces' });
      const other = await world.add('other', { namespace });
      await world.add('child', { owners: [owner(other)] });
      await world.add('lost', { owners: [owner(other, { name: 'never', uid: 'never-uid' })] });
      await world.quiet();
      expect(await world.names()).toEqual(['other']);
      expect(await world.events()).toEqual([
        'OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: other, uid: other-uid] does not exist in namespace "default"',
      ]);
    },
  );

  it('keeps a cluster-scoped object whose owner has a namespace, and says so (K-31)', async () => {
    const world = createWorld();
    await world.add('default', { resource: 'namespaces' });
    const other = await world.add('other');
    await world.add('pv', { resource: 'persistentvolumes', owners: [owner(other)] });
    await world.quiet();
    expect(await world.names('persistentvolumes')).toEqual(['pv']);
    expect(await world.events()).toEqual([
      'OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: , name: other, uid: other-uid] does not exist in namespace ""',
    ]);
  });

  it('gives pods of an owner that is gone their grace period (K-37)', async () => {
    const world = createWorld();
    const node = await world.add('n1', { resource: 'nodes' });
    const spec = { nodeName: 'n1', containers: [], terminationGracePeriodSeconds: 30 };
    await world.add('p', { resource: 'pods', owners: [owner(node)], spec });
    await world.remove('n1', 'Background', { resource: 'nodes' });
    // Later it is an orphan of its node.
    await world.plane.run(30_000);
    expect((await world.read('p', { resource: 'pods' }))?.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('tells an owner from its successor of the same name (K-32)', async () => {
    const world = createWorld();
    const first = await world.add('parent', { uid: 'first' });
    await world.add('old', { owners: [owner(first)] });
    await world.remove('parent');
    const second = await world.add('parent', { uid: 'second' });
    await world.add('new', { owners: [owner(second)] });
    await world.quiet();
    expect(await world.names()).toEqual(['new', 'parent']);
  });

  it('works through more dependents than a page has, and goes on where a run ended (K-40)', async () => {
    const world = createWorld();
    const parent = await world.add('parent');
    for (let n = 0; n < 250; n += 1) await world.add(`c${n}`, { owners: [owner(parent)] });
    await world.quiet();
    world.plane.set('stream', false);
    await world.remove('parent');
    const sent: unknown[] = [];
    const ports = world.plane.invoke();
    const slow = {
      ...ports,
      ownerEdges: {
        ...ports.ownerEdges,
        dependents: async (query: Parameters<typeof ports.ownerEdges.dependents>[0]) => {
          await world.plane.clock.sleep(6_000);
          return ports.ownerEdges.dependents(query);
        },
      },
      queues: {
        send: async (_: string, messages: readonly { readonly body: unknown }[]) =>
          void sent.push(...messages),
      },
    };
    const message = { v: 1, kind: 'object', ...world.keyOf('parent'), uid: 'parent-uid' } as const;
    expect(await world.plane.clock.run(reconcile(slow, message))).toMatchObject({ deleted: 200 });
    expect(sent).toEqual([{ body: { ...message, after: expect.any(String) } }]);
    const [{ body } = { body: message }] = sent as readonly { readonly body: typeof message }[];
    expect(await world.plane.clock.run(reconcile(slow, body))).toMatchObject({ deleted: 50 });
    expect(await world.names()).toEqual([]);
  });
});

describe('circles of owners', () => {
  const circle = async (world: ReturnType<typeof createWorld>, size: number) => {
    const objects = [];
    for (let n = 0; n < size; n += 1) objects.push(await world.add(`c${n}`));
    for (const [n, object] of objects.entries()) {
      const next = objects[(n + 1) % size] ?? object;
      await world.plane.writer.write(world.keyOf(object.metadata.name), () => ({
        next: { ...object, metadata: { ...object.metadata, ownerReferences: [owner(next, BLOCKING)] } },
        writer: 'client',
      }));
    }
  };

  it.each([1, 2, 3, 5])('of %i objects stay while nobody deletes them (K-34)', async (size) => {
    const world = createWorld();
    await circle(world, size);
    await world.quiet();
    expect(await world.names()).toHaveLength(size);
  });

  it.each([
    [1, 'Background'],
    [2, 'Background'],
    [3, 'Background'],
    [1, 'Foreground'],
    [2, 'Foreground'],
    [3, 'Foreground'],
    [5, 'Foreground'],
  ] as const)('of %i objects go when one is deleted in the %s (K-38)', async (size, policy) => {
    const world = createWorld();
    await circle(world, size);
    await world.remove('c0', policy);
    await world.quiet();
    expect(await world.names()).toEqual([]);
  });

  it('go when all of them are deleted in the foreground by hand (K-38)', async () => {
    const world = createWorld();
    await circle(world, 3);
    for (const name of ['c0', 'c1', 'c2']) await world.remove(name, 'Foreground');
    await world.quiet();
    expect(await world.names()).toEqual([]);
  });
});

describe('the sweep', () => {
  it('finds within an hour what lost messages left (K-41)', async () => {
    const world = createWorld();
    await world.quiet();
    world.plane.set('stream', false);
    await family(world);
    await world.remove('parent');
    const foreground = await world.add('foreground');
    await world.add('f-child', { owners: [owner(foreground, BLOCKING)] });
    await world.remove('foreground', 'Foreground');
    const left = await world.add('left');
    await world.add('l-child', { owners: [owner(left)] });
    await world.remove('left', 'Orphan');
    await world.quiet();
    world.plane.set('stream', true);
    expect(await world.names()).toHaveLength(7);
    await world.plane.run(3_600_000);
    expect(await world.names()).toEqual(['l-child']);
  });

  it('runs at the first request, and by a request for the first one only until one has ended (K-26)', async () => {
    const plane = createMemoryControlPlane();
    let pages = 0;
    const ports = plane.invoke();
    const page = (query: Parameters<typeof ports.objects.page>[0]) => {
      pages += 1;
      return ports.objects.page(query);
    };
    let isComplete = false;
    const ownerEdges = {
      ...ports.ownerEdges,
      areComplete: async () => isComplete,
      complete: async () => {
        isComplete = true;
      },
    };
    const deps = { ...ports, ownerEdges, objects: { ...ports.objects, page } };
    const first = () => plane.clock.run(reconcile(deps, { v: 1, kind: 'sweep', isFirst: true }));
    await first();
    expect(isComplete).toBe(true);
    const before = pages;
    await first();
    expect([before > 0, pages]).toEqual([true, before]);
  });

  it('gives pods that are older than the index of terminated pods their places there (K-71)', async () => {
    const world = createWorld();
    const { objects } = world.plane.state;
    const object = await world.add('old', { resource: 'pods', spec: { nodeName: 'n1' } });
    const key = world.keyOf('old', { resource: 'pods' });
    const { highest: revision } = await objects.takeRevisions('pods', 1, world.plane.clock.now());
    const facts = { pod: podFacts({ nodeName: 'n1' }) };
    const older = aCommit({ key, revision, expected: revision - 1, uid: 'old-uid', facts });
    await objects.commit({ ...older, next: { uid: 'old-uid', object, facts } });
    const places = async () =>
      (await Array.fromAsync(objects.terminatedPods())).flatMap(({ value }) => value);
    expect(await places()).toEqual([]);
    await world.plane.run(1_000);
    const { creationTimestamp } = object.metadata;
    expect(await places()).toEqual([{ key, place: `1/${creationTimestamp}/old` }]);
  });

  it('changes nothing where all is well (K-41)', async () => {
    const world = createWorld();
    await family(world);
    await world.quiet();
    const before = world.plane.commits.length;
    await world.plane.run(2 * 3_600_000);
    expect(
      world.plane.commits.slice(before).filter(({ change }) => change.after?.key.resource === 'configmaps'),
    ).toEqual([]);
  });
});
