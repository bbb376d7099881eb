import { beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../support/servers/api.ts';

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const SIZE = { storage: '1Gi' };

let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const createClass = (name: string, isDefault: string) =>
  api.send('POST', CLASSES, {
    as: 'admin',
    body: {
      metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': isDefault } },
      provisioner: 'csi.example.com',
    },
  });

const createClaim = async (spec: object = {}, metadata: object = {}) =>
  (
    await api.send('POST', CLAIMS, {
      as: 'admin',
      body: {
        metadata: { name: 'data', ...metadata },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: SIZE }, ...spec },
      },
    })
  ).json;

const createVolume = async () =>
  (
    await api.send('POST', VOLUMES, {
      as: 'admin',
      body: {
        metadata: { name: 'v' },
        spec: { capacity: SIZE, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
    })
  ).json;

describe('a new claim', () => {
  it.each([
    ['gets the default class, if it names none', {}, {}, 'main'],
    ['keeps the class that it names', { storageClassName: 'other' }, {}, 'other'],
    ['keeps the empty class', { storageClassName: '' }, {}, ''],
    [
      'keeps the class of its annotation',
      {},
      { annotations: { 'volume.beta.kubernetes.io/storage-class': 'other' } },
      undefined,
    ],
  ])('%s (K-94)', async (_, spec, metadata, expected) => {
    await createClass('other', 'false');
    await createClass('main', 'true');
    expect((await createClaim(spec, metadata)).spec.storageClassName).toBe(expected);
  });

  it('has no class where there is no default one (K-94)', async () => {
    await createClass('other', 'false');
    expect((await createClaim()).spec).not.toHaveProperty('storageClassName');
  });

  it('does not get the default class later, by an update of a client (K-94)', async () => {
    const claim = await createClaim();
    await createClass('main', 'true');
    const { json } = await api.send('PUT', `${CLAIMS}/data`, { as: 'admin', body: claim });
    expect(json.spec).not.toHaveProperty('storageClassName');
  });
});

describe('a finalizer', () => {
  it('is on new claims and volumes, so that they stay while they are used (K-105)', async () => {
    expect((await createClaim()).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    expect((await createVolume()).metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    await api.send('DELETE', `${CLAIMS}/data`, { as: 'admin' });
    const { json } = await api.send('GET', `${CLAIMS}/data`, { as: 'admin' });
    expect(json.metadata.deletionTimestamp).toBeDefined();
  });

  it('is not added a second time, or taken from others (K-105)', async () => {
    const finalizers = ['example.org/mine', 'kubernetes.io/pvc-protection'];
    expect((await createClaim({}, { finalizers })).metadata.finalizers).toEqual(finalizers);
  });

  it('is not added without controllers, because nobody would take it off (K-105)', async () => {
    api = createTestApi({ controllers: 'none' });
    await api.send('POST', '/api/v1/namespaces', { as: 'admin', body: { metadata: { name: 'default' } } });
    expect((await createClaim()).metadata).not.toHaveProperty('finalizers');
    expect((await createVolume()).metadata).not.toHaveProperty('finalizers');
  });
});
