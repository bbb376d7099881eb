import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { createTestApi, PODS, podBody, statusOf, type TestApi } from '../../../support/servers/api.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const createAccount = (name: string, rest: object = {}) =>
  api.send('POST', ACCOUNTS, { as: 'admin', body: { metadata: { name }, ...rest } });
const createPod = (spec: object = {}, path = PODS) =>
  api.send('POST', path, { as: 'admin', body: podBody('p', spec) });

describe('the service account of a new pod', () => {
  it('must exist (A-20)', async () => {
    expect(statusOf(await createPod({ serviceAccountName: 'robot' }))).toEqual([
      403,
      'Forbidden',
      'pods "p" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
    ]);
    await createAccount('robot');
    expect((await createPod({ serviceAccountName: 'robot' })).json.spec).toMatchObject({
      serviceAccountName: 'robot',
      serviceAccount: 'robot',
    });
  });

  it('is named by the old field, too (A-20)', async () => {
    expect((await createPod({ serviceAccount: 'robot' })).json.message).toContain(
      'serviceaccount "robot" not found',
    );
  });

  it('is the default one right after the namespace was made, or deleted the account (A-20)', async () => {
    await api.send('POST', '/api/v1/namespaces', { as: 'admin', body: { metadata: { name: 'ns1' } } });
    expect((await createPod({}, '/api/v1/namespaces/ns1/pods')).code).toBe(201);
    expect((await createPod()).json.spec.serviceAccountName).toBe('default');
  });

  it('is not made up without controllers, nor before its namespace is found (A-20)', async () => {
    api = createTestApi({ controllers: 'none' });
    expect((await createPod()).json.message).toBe(
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    );
    await createAccount('default');
    expect((await createPod()).code).toBe(201);
    expect((await createPod({}, '/api/v1/namespaces/nope/pods')).code).toBe(404);
  });

  it('may forbid the token, and the pod may ask for it (A-21)', async () => {
    await createAccount('robot', { automountServiceAccountToken: false });
    const pod = { serviceAccountName: 'robot' };
    expect((await createPod(pod)).json.spec.volumes).toBeUndefined();
    await api.send('DELETE', `${PODS}/p`, { as: 'admin', body: { gracePeriodSeconds: 0 } });
    const asking = await createPod({ ...pod, automountServiceAccountToken: true });
    expect(asking.json.spec.volumes).toHaveLength(1);
  });

  it('gives its pull secrets (A-22)', async () => {
    await createAccount('robot', { imagePullSecrets: [{ name: 'registry' }] });
    const { json } = await createPod({ serviceAccountName: 'robot' });
    expect(json.spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  it('may limit Secrets to its own (A-23)', async () => {
    const metadata = { name: 'robot', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } };
    await createAccount('robot', { metadata });
    const volumes = [{ name: 'v', secret: { secretName: 's' } }];
    expect(statusOf(await createPod({ serviceAccountName: 'robot', volumes }))).toEqual([
      403,
      'Forbidden',
      'pods "p" is forbidden: volume with secret.secretName="s" is not allowed because service account robot does not reference that secret',
    ]);
    expect((await createPod({ serviceAccountName: 'robot' })).code).toBe(201);
  });
});

it('a pod that has the volume of a token gets no second one', async () => {
  const name = 'kube-api-access-abcde';
  const { json } = await createPod({ volumes: [{ name, emptyDir: {} }] });
  expect(json.spec.volumes).toHaveLength(1);
  expect(json.spec.containers[0].volumeMounts).toMatchObject([{ name }]);
});

it('a new pod costs one read of its account, beside those of its namespace and of its own row', async () => {
  const state = createMemoryState();
  const reads: string[] = [];
  const objects: ObjectStore = {
    ...state.objects,
    read: (key) => {
      reads.push(`${key.resource}/${key.name}`);
      return state.objects.read(key);
    },
  };
  api = createTestApi({ state: { ...state, objects } });
  await api.send('POST', '/api/v1/namespaces', { as: 'admin', body: { metadata: { name: 'ns1' } } });
  reads.length = 0;
  await createPod({}, '/api/v1/namespaces/ns1/pods');
  // The namespace is asked again once the write has its number.
  expect(reads).toEqual(['serviceaccounts/default', 'namespaces/ns1', 'pods/p', 'namespaces/ns1']);
  reads.length = 0;
  await createPod();
  expect(reads).toEqual(['serviceaccounts/default', 'namespaces/default', 'pods/p']);
});
