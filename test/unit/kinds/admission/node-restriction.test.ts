import { beforeEach, describe, expect, it } from 'vitest';
import { restrictTokenRequest } from '../../../../shared/apiserver/tokens/token-request-restriction.ts';
import { restrict } from '../../../../shared/kinds/admission/admission.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import {
  createTestApi,
  NODES,
  nodeBody,
  PODS,
  podBody,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

const NODE_USER = { name: 'system:node:n1', groups: ['system:nodes'] };
const MERGE = 'application/merge-patch+json';
const CONFIG = { defaultTolerationSeconds: 300, enableAdmissionPlugins: [] };

describe('a mirror pod', () => {
  let api: TestApi;
  let uid: string;
  beforeEach(async () => {
    api = createTestApi();
    uid = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata.uid;
  });

  const owner = (rest: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    name: 'n1',
    uid,
    controller: true,
    ...rest,
  });
  const mirror = (spec: object, metadata: object = {}) => ({
    metadata: {
      name: 'm',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner()],
      ...metadata,
    },
    spec: { ...podBody('m').spec, nodeName: 'n1', ...spec },
  });
  const create = async (body: object, nodeUid?: string) =>
    statusOf(await api.send('POST', PODS, { as: 'system:node:n1', nodeUid, body }));

  it('is created when it names its node', async () => {
    expect((await create(mirror({})))[0]).toBe(201);
    expect((await create(mirror({}, { name: 'm2' }), uid))[0]).toBe(201);
  });

  it.each<[string, object, object]>([
    ['a mirror pod may not reference secrets', { imagePullSecrets: [{ name: 's' }] }, {}],
    ['a mirror pod may not reference service accounts', { serviceAccountName: 'default' }, {}],
    [
      'a mirror pod may not use ServiceAccountToken volume projections',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      {},
    ],
    [
      'node "n1" can not create pods that reference configmaps',
      { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
      {},
    ],
    [
      'node "n1" can not create pods that reference persistentvolumeclaims',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      {},
    ],
    [
      'node "n1" can not create pods that reference resourceclaims',
      { resourceClaims: [{ name: 'r', resourceClaimName: 'c' }] },
      {},
    ],
    ['node "n1" can only create pods with spec.nodeName set to itself', { nodeName: 'n2' }, {}],
    ['node "n1" can only create pods with an owner reference set to itself', {}, { ownerReferences: [] }],
    [
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
      {},
      { annotations: {} },
    ],
  ])('is refused: %s', async (why, spec, metadata) => {
    expect(await create(mirror(spec, metadata))).toEqual([403, 'Forbidden', `pods "m" is forbidden: ${why}`]);
  });

  it('is refused with another uid, a second owner, or one that blocks', async () => {
    const refused = async (ownerReferences: readonly object[]) =>
      (await create(mirror({}, { ownerReferences })))[2];
    expect(await refused([owner({ uid: 'zz' })])).toMatch(`node n1 UID mismatch: expected zz got ${uid}`);
    expect(await refused([owner(), owner({ uid: 'other' })])).toMatch(
      /a single owner reference set to itself/,
    );
    expect(await refused([owner({ blockOwnerDeletion: true })])).toMatch(/must not set blockOwnerDeletion/);
  });

  it('is refused for the token of a deleted Node, and for a node that is not registered', async () => {
    expect((await create(mirror({}), 'gone'))[0]).toBe(401);
    await api.send('DELETE', `${NODES}/n1`);
    expect(await create(mirror({}))).toEqual([404, 'NotFound', 'node "n1" not found']);
  });

  it('may not refer to Secrets, whoever creates it', async () => {
    const body = mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] });
    expect(statusOf(await api.send('POST', PODS, { as: 'admin', body }))[2]).toMatch(
      /may not reference secrets/,
    );
  });
});

const podOn = (nodeName: string, rest: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u1' },
  spec: { nodeName, ...rest },
});

describe('a node', () => {
  it.each([
    ['node n1 can only evict pods with spec.nodeName set to itself', 'eviction', podOn('n2')],
    [
      `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
      'binding',
      podOn('n1'),
    ],
  ])('gets the message %s', (why, subresource, object) => {
    const request = { user: NODE_USER, operation: 'create', subresource, object, config: CONFIG } as const;
    expect(() => restrict({ group: '', resource: 'pods' }, request)).toThrow(`pods "p" is forbidden: ${why}`);
  });

  it('may write only its own CSINode', () => {
    const kind = { group: 'storage.k8s.io', resource: 'csinodes' };
    const request = (name: string) => ({
      user: NODE_USER,
      operation: 'create' as const,
      subresource: '',
      object: { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name } },
      config: CONFIG,
    });
    expect(() => restrict(kind, request('n1'))).not.toThrow();
    expect(() => restrict(kind, request('n2'))).toThrow(
      'csinodes.storage.k8s.io "n2" is forbidden: can only access CSINode with the same name as the requesting node',
    );
  });

  it.each<[string, string, object, object, string | undefined]>([
    ['capacity', 'status', {}, { capacity: { storage: '2Gi' } }, undefined],
    ['conditions', 'status', {}, { conditions: [{ type: 'Resizing', status: 'True' }] }, undefined],
    ['the phase', 'status', {}, { phase: 'Lost' }, 'is not allowed to update fields other than'],
    ['a label', 'status', { labels: { a: 'b' } }, {}, 'is not allowed to update fields other than'],
    ['a finalizer', 'status', { finalizers: ['a/b'] }, {}, 'is not allowed to update fields other than'],
    ['the claim itself', '', {}, {}, 'may only update PVC status'],
  ])(
    'may write only the parts of a claim about its volume size: %s',
    (_what, subresource, metadata, status, why) => {
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c', resourceVersion: '1' },
      };
      const before = { ...claim, status: { phase: 'Bound' } };
      const object = {
        ...claim,
        metadata: { ...claim.metadata, resourceVersion: '2', ...metadata },
        status: { phase: 'Bound', ...status },
      };
      const request = { user: NODE_USER, operation: 'update', subresource, object, before } as const;
      const write = () => restrict({ group: '', resource: 'persistentvolumeclaims' }, request);
      if (why === undefined) expect(write).not.toThrow();
      else expect(write).toThrow(why);
    },
  );

  it('may evict its own pods', () => {
    const request = {
      user: NODE_USER,
      operation: 'create',
      subresource: 'eviction',
      object: podOn('n1'),
      config: CONFIG,
    } as const;
    expect(() => restrict({ group: '', resource: 'pods' }, request)).not.toThrow();
  });
});

describe('a token of a service account', () => {
  const account = { namespace: 'default', name: 'builder' };
  const bound = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' };
  const volumes = [
    { projected: { sources: [{ serviceAccountToken: { audience: 'vault' } }, { serviceAccountToken: {} }] } },
  ];

  it.each([[{ boundObjectRef: bound }], [{ boundObjectRef: bound, audiences: ['vault'] }]])(
    'is issued to the node of the pod: %o',
    (spec) => {
      expect(() => restrictTokenRequest(NODE_USER, account, spec, podOn('n1', { volumes }))).not.toThrow();
    },
  );

  it.each([
    ['node requested token not bound to a pod', {}, podOn('n1')],
    [
      'node requested token not bound to a pod',
      { boundObjectRef: { ...bound, kind: 'Secret' } },
      podOn('n1'),
    ],
    [
      'node requested token with a pod binding without a uid',
      { boundObjectRef: { ...bound, uid: '' } },
      podOn('n1'),
    ],
    [
      'the UID in the bound object reference (u2) does not match',
      { boundObjectRef: { ...bound, uid: 'u2' } },
      podOn('n1'),
    ],
    [
      'node requested token bound to a pod scheduled on a different node',
      { boundObjectRef: bound },
      podOn('n2'),
    ],
    [
      'audience "other" not found in pod spec volume',
      { boundObjectRef: bound, audiences: ['other'] },
      podOn('n1', { volumes }),
    ],
    ['audience "" not found in pod spec volume', { boundObjectRef: bound }, podOn('n1')],
    [
      'node may only request 0 or 1 audiences',
      { boundObjectRef: bound, audiences: ['a', 'b'] },
      podOn('n1', { volumes }),
    ],
  ])('is refused for a node: %s', (why, spec, pod) => {
    expect(() => restrictTokenRequest(NODE_USER, account, spec, pod)).toThrow(
      `serviceaccounts "builder" is forbidden: ${why}`,
    );
  });

  it('is not restricted for other users', () => {
    expect(() => restrictTokenRequest({ name: 'ann', groups: [] }, account, {}, undefined)).not.toThrow();
  });
});

describe('an annotation of Rollcall, written by the node itself', () => {
  const node = (annotations: Readonly<Record<string, string>>): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', uid: 'u1', annotations },
  });
  const write = (after: Readonly<Record<string, string>>, before?: Readonly<Record<string, string>>) => () =>
    restrict(
      { group: '', resource: 'nodes' },
      {
        user: NODE_USER,
        subresource: '',
        object: node(after),
        ...(before ? { operation: 'update', before: node(before) } : { operation: 'create' }),
      },
    );

  it.each([
    'rollcall.dev/powered-off',
    'rollcall.dev/out-of-service-policy',
    'rollcall.dev/out-of-service-proof',
    'rollcall.dev/drain',
    'rollcall.dev/drain-occasion',
    'rollcall.dev/maintenance',
    'rollcall.dev/do-not-repair',
    'rollcall.dev/machine',
    'rollcall.dev/of-a-later-version',
  ])('%s is refused when it is set, changed or removed', (key) => {
    const why = `nodes "n1" is forbidden: node "n1" is not allowed to set metadata.annotations[${key}], which only the control plane and operators set`;
    expect(write({ [key]: 'x' }, {})).toThrow(why);
    expect(write({ [key]: 'x' }, { [key]: 'y' })).toThrow(why);
    expect(write({}, { [key]: 'y' })).toThrow(why);
    expect(write({ [key]: 'x' })).toThrow(why);
    expect(write({ [key]: 'x', other: 'new' }, { [key]: 'x' })).not.toThrow();
  });

  it.each([
    'rollcall.dev/maintenance-done',
    'rollcall.dev/token-expiration',
    'rollcall.dev/token-released',
    'volumes.kubernetes.io/controller-managed-attach-detach',
    'example.com/rollcall.dev',
  ])('%s is not', (key) => {
    expect(write({ [key]: 'true' }, {})).not.toThrow();
    expect(write({ [key]: 'true' })).not.toThrow();
  });

  it('is refused over HTTP, in a patch of its status, too, and operators may set it', async () => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    const body = { metadata: { annotations: { 'rollcall.dev/powered-off': '2026-01-06T00:00:00Z' } } };
    for (const path of [`${NODES}/n1`, `${NODES}/n1/status`])
      expect(statusOf(await api.send('PATCH', path, { as: 'system:node:n1', type: MERGE, body }))).toEqual([
        403,
        'Forbidden',
        'nodes "n1" is forbidden: node "n1" is not allowed to set metadata.annotations[rollcall.dev/powered-off], which only the control plane and operators set',
      ]);
    expect(statusOf(await api.send('PATCH', `${NODES}/n1`, { as: 'admin', type: MERGE, body }))[0]).toBe(200);
  });
});

describe('the machine of a Node (J-391)', () => {
  const body = { metadata: { annotations: { 'rollcall.dev/machine': 'i-1 operator' } } };
  const named = { ...nodeBody('n1'), metadata: { ...nodeBody('n1').metadata, ...body.metadata } };

  it.each(['operator', 'bootstrapper', 'system:node:n1'])('is not set or removed by %s', async (as) => {
    const api = createTestApi();
    expect((await api.send('POST', NODES, { as, body: named })).code).toBe(403);
    await api.send('POST', NODES, { as: 'admin', body: named });
    for (const word of ['i-9 operator', null])
      expect(
        (
          await api.send('PATCH', `${NODES}/n1`, {
            as,
            type: MERGE,
            body: { metadata: { annotations: { 'rollcall.dev/machine': word } } },
          })
        ).code,
      ).toBe(403);
  });

  it('is set by an administrator, and stays when an operator writes something else', async () => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    expect((await api.send('PATCH', `${NODES}/n1`, { as: 'admin', type: MERGE, body })).code).toBe(200);
    const cordon = { spec: { unschedulable: true } };
    const { code, json } = await api.send('PATCH', `${NODES}/n1`, {
      as: 'operator',
      type: MERGE,
      body: cordon,
    });
    expect([code, json.metadata.annotations['rollcall.dev/machine']]).toEqual([200, 'i-1 operator']);
  });
});

describe('spec.unschedulable, written by the node itself (J-390)', () => {
  const APPLY = 'application/apply-patch+yaml';
  const CORDON = `${NODES}/n1`;
  const WHY = 'nodes "n1" is forbidden: node "n1" is not allowed to modify spec.unschedulable';
  const PATCHES: readonly (readonly [string, string, unknown])[] = [
    ['a merge patch', MERGE, { spec: { unschedulable: null } }],
    ['a merge patch to false', MERGE, { spec: { unschedulable: false } }],
    ['a strategic merge patch', 'application/strategic-merge-patch+json', { spec: { unschedulable: null } }],
    ['a JSON patch', 'application/json-patch+json', [{ op: 'remove', path: '/spec/unschedulable' }]],
    [
      'server-side apply',
      APPLY,
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: { unschedulable: false } },
    ],
  ];
  const aNode = async (unschedulable: boolean) => {
    const api = createTestApi();
    const body = { ...nodeBody('n1'), spec: unschedulable ? { unschedulable } : {} };
    const { json } = await api.send('POST', NODES, { as: 'admin', body });
    const isCordoned = async () => (await api.send('GET', CORDON, { as: 'admin' })).json.spec.unschedulable;
    return { api, json, isCordoned };
  };

  it.each(PATCHES)('is not ended by %s', async (_what, type, body) => {
    const { api, isCordoned } = await aNode(true);
    const path = `${CORDON}?fieldManager=kubelet&force=true`;
    const options = type === APPLY ? path : CORDON;
    expect(statusOf(await api.send('PATCH', options, { as: 'system:node:n1', type, body }))).toEqual([
      403,
      'Forbidden',
      WHY,
    ]);
    expect(await isCordoned()).toBe(true);
  });

  it('is not ended by a PUT, and not begun by the node', async () => {
    const { api, json, isCordoned } = await aNode(true);
    const as = 'system:node:n1';
    const { unschedulable: _, ...freed } = json.spec;
    expect(statusOf(await api.send('PUT', CORDON, { as, body: { ...json, spec: freed } }))[2]).toBe(WHY);
    expect(await isCordoned()).toBe(true);
    const other = await aNode(false);
    const body = { spec: { unschedulable: true } };
    expect(statusOf(await other.api.send('PATCH', CORDON, { as, type: MERGE, body }))[2]).toBe(WHY);
  });

  it('does not change by a write of the status', async () => {
    const { api, json, isCordoned } = await aNode(true);
    const as = 'system:node:n1';
    await api.send('PUT', `${CORDON}/status`, { as, body: { ...json, spec: {} } });
    await api.send('PATCH', `${CORDON}/status`, { as, type: MERGE, body: { spec: { unschedulable: null } } });
    expect(await isCordoned()).toBe(true);
  });

  it('is not ended by making the Node again: a node deletes no Node', async () => {
    const { api, isCordoned } = await aNode(true);
    const as = 'system:node:n1';
    expect((await api.send('DELETE', CORDON, { as })).code).toBe(403);
    expect((await api.send('POST', NODES, { as, body: nodeBody('n1') })).code).toBe(409);
    expect(await isCordoned()).toBe(true);
  });

  it('may be set when a node registers, and stay in what it writes later', async () => {
    const api = createTestApi();
    const as = 'system:node:n1';
    const body = { ...nodeBody('n1'), spec: { unschedulable: true } };
    const { code, json } = await api.send('POST', NODES, { as, body });
    expect(code).toBe(201);
    const labelled = { ...json, metadata: { ...json.metadata, labels: { rack: 'r1' } } };
    expect((await api.send('PUT', CORDON, { as, body: labelled })).code).toBe(200);
  });

  it('is the word of operators', async () => {
    const { api, isCordoned } = await aNode(true);
    const body = { spec: { unschedulable: null } };
    expect((await api.send('PATCH', CORDON, { as: 'operator', type: MERGE, body })).code).toBe(200);
    expect(await isCordoned()).toBeUndefined();
  });
});

describe('the conditions of its drain and maintenance, written by the node itself (V-71)', () => {
  const PATH = `${NODES}/n1`;
  const as = 'system:node:n1';
  const is = (type: string, status: string) => ({ type, status, reason: 'NodeDrained', message: '' });
  const STORED = [is('DrainInProgress', 'True'), is('Drained', 'False'), is('MaintenanceInProgress', 'True')];
  const SAID = [is('Ready', 'True'), is('Drained', 'True'), is('MaintenancePlanned', 'True')];
  const aNode = async (conditions: readonly object[]) => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    await api.send('PATCH', `${PATH}/status`, { as: 'admin', type: MERGE, body: { status: { conditions } } });
    const shown = async (): Promise<readonly string[]> =>
      (await api.send('GET', PATH, { as: 'admin' })).json.status.conditions
        .map(({ type, status }: { type: string; status: string }) => `${type}=${status}`)
        .sort();
    return { api, shown };
  };
  const EXPECTED = ['DrainInProgress=True', 'Drained=False', 'MaintenanceInProgress=True', 'Ready=True'];

  it.each<[string, string, string, unknown]>([
    ['a merge patch', 'PATCH', MERGE, { status: { conditions: SAID } }],
    [
      'a strategic merge patch',
      'PATCH',
      'application/strategic-merge-patch+json',
      { status: { conditions: SAID } },
    ],
    [
      'a JSON patch',
      'PATCH',
      'application/json-patch+json',
      [{ op: 'replace', path: '/status/conditions', value: SAID }],
    ],
    ['a PUT', 'PUT', 'application/json', undefined],
  ])('stay as they are stored after %s', async (_what, method, type, body) => {
    const { api, shown } = await aNode(STORED);
    const { json } = await api.send('GET', PATH, { as: 'admin' });
    const given = body ?? { ...json, status: { ...json.status, conditions: SAID } };
    expect((await api.send(method, `${PATH}/status`, { as, type, body: given })).code).toBe(200);
    expect(await shown()).toEqual(EXPECTED);
  });

  it('are left out of the Node that it registers, and are those of others', async () => {
    const api = createTestApi();
    const body = { ...nodeBody('n1'), status: { conditions: SAID } };
    const made = await api.send('POST', NODES, { as, body });
    expect(made.json.status.conditions.map(({ type }: { type: string }) => type)).toEqual(['Ready']);
    const { shown } = await aNode(SAID);
    expect(await shown()).toEqual(['Drained=True', 'MaintenancePlanned=True', 'Ready=True']);
  });
});
