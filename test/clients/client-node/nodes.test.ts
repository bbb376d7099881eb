/** client-node on nodes: every verb, every kind of patch, and what is refused. */
import type { CoreV1Api, V1NodeList } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../cluster.ts';
import { changed, configFrom, LIBRARIES, nodeBody, podBody, refusal, withType } from './library.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

describe.each(LIBRARIES)('client-node $generation: nodes', ({ generation, library }) => {
  const name = `${generation}-crud`;
  let core: CoreV1Api;
  beforeAll(() => {
    core = configFrom(library, cluster.kubeconfig).makeApiClient(library.CoreV1Api);
  });

  it('are created, with uid and times', async () => {
    const node = await core.createNode({ body: nodeBody(name, { generation }) });
    expect(node.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(node.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect(node.status?.allocatable).toMatchObject({ cpu: '3800m' });
  });

  it('are listed, by selector and in pages', async () => {
    await core.createNode({ body: nodeBody(`${name}-2`, { generation }) });
    const names = ({ items }: V1NodeList) => items.map(({ metadata }) => metadata?.name);
    const labelSelector = `generation=${generation}`;
    const all = await core.listNode({ labelSelector });
    expect(names(all)).toEqual([name, `${name}-2`]);
    expect(all.metadata?.resourceVersion).toMatch(/^\d+$/);
    const first = await core.listNode({ labelSelector, limit: 1 });
    const second = await core.listNode({
      labelSelector,
      limit: 1,
      _continue: first.metadata?._continue ?? '',
    });
    expect([...names(first), ...names(second)]).toEqual(names(all));
  });

  it('are replaced by what was read, also if the times have milliseconds', async () => {
    const read = await core.readNode({ name });
    const body = changed(read, { spec: changed(read.spec ?? {}, { unschedulable: true }) });
    const replaced = await core.replaceNode({ name, body });
    expect(replaced.spec?.unschedulable).toBe(true);
    expect(replaced.metadata?.resourceVersion).not.toBe(read.metadata?.resourceVersion);
    expect(await refusal(core.replaceNode({ name, body }))).toEqual({
      code: 409,
      status: 'Failure',
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on nodes "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      details: { name, kind: 'nodes' },
    });
  });

  it('have a status subresource', async () => {
    const read = await core.readNodeStatus({ name });
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Tried', message: '' }];
    const body = changed(read, { spec: {}, status: changed(read.status ?? {}, { conditions }) });
    const replaced = await core.replaceNodeStatus({ name, body });
    expect(replaced.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    expect(replaced.spec?.unschedulable).toBe(true);
  });

  it('are deleted', async () => {
    const details = { name, kind: 'nodes' };
    expect(await core.deleteNode({ name })).toMatchObject({ status: 'Success', details });
    expect(await refusal(core.readNode({ name }))).toEqual({
      code: 404,
      status: 'Failure',
      reason: 'NotFound',
      message: `nodes "${name}" not found`,
      details,
    });
  });
});

describe.each(LIBRARIES)('client-node $generation: patches', ({ generation, library }) => {
  const { PatchStrategy } = library;
  const name = `${generation}-patched`;
  let core: CoreV1Api;
  beforeAll(async () => {
    core = configFrom(library, cluster.kubeconfig).makeApiClient(library.CoreV1Api);
    await core.createNode({ body: nodeBody(name) });
  });

  it.each([
    ['json', PatchStrategy.JsonPatch, [{ op: 'add', path: '/metadata/labels/kind', value: 'json' }]],
    ['merge', PatchStrategy.MergePatch, { metadata: { labels: { kind: 'merge' } } }],
    ['strategic', PatchStrategy.StrategicMergePatch, { metadata: { labels: { kind: 'strategic' } } }],
  ])('of kind %s', async (kind, type, body) => {
    const patched = await core.patchNode({ name, body }, withType(library, type));
    expect(patched.metadata?.labels).toMatchObject({ kind, 'kubernetes.io/hostname': name });
  });

  it('of type apply are accepted', async () => {
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { applied: 'yes' } } };
    const apply = { name, body, fieldManager: 'tests', force: false };
    const patched = await core.patchNode(apply, withType(library, PatchStrategy.ServerSideApply));
    expect(patched.metadata?.labels?.['applied']).toBe('yes');
    const manager = { manager: 'tests', operation: 'Apply' };
    expect(patched.metadata?.managedFields).toContainEqual(expect.objectContaining(manager));
  });

  it('of type strategic merge conditions by their type', async () => {
    const body = { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Tried' }] } };
    const type = withType(library, PatchStrategy.StrategicMergePatch);
    const { status } = await core.patchNodeStatus({ name, body }, type);
    expect(status?.conditions?.map((each) => each.type)).toEqual([
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
      'Ready',
    ]);
    const message = 'kubelet is posting ready status';
    expect(status?.conditions?.at(-1)).toMatchObject({ status: 'False', message });
  });

  it('without a content type are JSON patches, so that an object is refused', async () => {
    const refused = await refusal(core.patchNode({ name, body: { metadata: {} } }));
    expect(refused).toMatchObject({ code: 400, reason: 'BadRequest' });
  });
});

describe.each(LIBRARIES)('client-node $generation: a Status for', ({ library }) => {
  let core: CoreV1Api;
  beforeAll(() => {
    core = configFrom(library, cluster.kubeconfig).makeApiClient(library.CoreV1Api);
  });

  it.each([
    [
      'an object that exists',
      () => core.createNamespace({ body: { metadata: { name: 'default' } } }),
      { code: 409, reason: 'AlreadyExists', message: 'namespaces "default" already exists' },
    ],
    [
      'an invalid object',
      () => core.createNode({ body: { metadata: { name: 'Bad_Name' } } }),
      {
        code: 422,
        reason: 'Invalid',
        details: {
          name: 'Bad_Name',
          kind: 'Node',
          causes: [expect.objectContaining({ field: 'metadata.name' })],
        },
      },
    ],
    [
      'a namespace that does not exist',
      () => core.createNamespacedPod({ namespace: 'nope', body: podBody('p') }),
      { code: 404, reason: 'NotFound', message: 'namespaces "nope" not found' },
    ],
    [
      'a selector that cannot be parsed',
      () => core.listNode({ labelSelector: 'a b' }),
      { code: 400, reason: 'BadRequest' },
    ],
  ])('%s', async (_name, call, expected) => {
    expect(await refusal(call())).toMatchObject({ status: 'Failure', ...expected });
  });
});
