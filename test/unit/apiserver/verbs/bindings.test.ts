import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, PODS, podBody, START, statusOf } from '../../../support/servers/api.ts';

const P1 = `${PODS}/p1`;
const BINDINGS = '/api/v1/namespaces/default/bindings';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = (spec: object = {}, metadata: object = {}) =>
  api.send('POST', PODS, {
    as: 'admin',
    body: { ...podBody('p1', spec), metadata: { name: 'p1', ...metadata } },
  });
const bind = (body: object = {}, path = `${P1}/binding`) =>
  api.send('POST', path, {
    as: 'admin',
    body: { metadata: { name: 'p1' }, target: { kind: 'Node', name: 'n1' }, ...body },
  });

describe('a binding', () => {
  it.each([
    ['to the pod', `${P1}/binding`],
    ['to the collection', BINDINGS],
  ])('sent %s binds the pod to a node, which need not exist', async (_name, path) => {
    await create();
    const annotated = { metadata: { name: 'p1', annotations: { a: 'b' }, labels: { c: 'd' } } };
    const { code, json } = await bind(annotated, path);
    expect([code, json.status]).toEqual([201, 'Success']);
    const pod = (await api.send('GET', P1)).json;
    expect(pod.metadata).toMatchObject({ generation: 1, annotations: { a: 'b' } });
    expect(pod.metadata.labels).toBeUndefined();
    expect(pod.spec.nodeName).toBe('n1');
    expect(pod.status.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2026-03-01T12:00:00Z',
      },
    ]);
    const row = await api.objects.read({ resource: 'pods', namespace: 'default', name: 'p1' });
    expect(row).toMatchObject({ facts: { pod: { nodeName: 'n1', boundAt: START } } });
  });

  it('with dryRun changes nothing', async () => {
    await create();
    expect((await bind({}, `${P1}/binding?dryRun=All`)).code).toBe(201);
    expect((await api.send('GET', P1)).json.spec.nodeName).toBeUndefined();
  });

  it.each<[string, object, number, string]>([
    ['another name', { metadata: { name: 'q' } }, 400, 'name in URL does not match name in Binding object'],
    ['no name', { metadata: {} }, 400, 'name in URL does not match name in Binding object'],
    ['no target', { target: { kind: 'Node' } }, 400, 'target.name: Required value'],
    [
      'another target',
      { target: { kind: 'Pod', name: 'x' } },
      400,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      'two faults',
      { target: { kind: 'Pod' } },
      400,
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    ],
    [
      'another uid',
      { metadata: { name: 'p1', uid: 'zz' } },
      409,
      'Operation cannot be fulfilled on pods "p1": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p1, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: 00000000-0000-4000-8000-000000000001',
    ],
  ])('with %s is refused', async (_name, body, code, message) => {
    await create();
    const { code: got, json } = await bind(body);
    expect([got, json.message]).toEqual([code, message]);
  });

  it('of a missing pod is a 404', async () => {
    expect(statusOf(await bind())).toEqual([404, 'NotFound', 'pods "p1" not found']);
  });

  it.each<[string, object, object, string]>([
    ['bound', { nodeName: 'n9' }, {}, 'pod p1 is already assigned to node "n9"'],
    ['gated', { schedulingGates: [{ name: 'g' }] }, {}, 'pod p1 has non-empty .spec.schedulingGates'],
    ['going', {}, { finalizers: ['example.com/f'] }, 'pod p1 is being deleted, cannot be assigned to a host'],
  ])('of a pod that is %s conflicts', async (name, spec, metadata, why) => {
    await create(spec, metadata);
    if (name === 'going') await api.send('DELETE', P1);
    const { code, json } = await bind();
    expect([code, json.message, json.details]).toEqual([
      409,
      `Operation cannot be fulfilled on pods/binding "p1": ${why}`,
      { name: 'p1', kind: 'pods/binding' },
    ]);
  });
});
