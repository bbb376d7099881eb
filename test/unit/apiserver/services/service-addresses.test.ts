import { describe, expect, it } from 'vitest';
import { createTestApi, type Json, MERGE, type TestApi } from '../../../support/servers/api.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const PORTS = { ports: [{ port: 80 }] };

const world = (serviceRanges: readonly string[] = ['10.96.0.0/12']): TestApi =>
  createTestApi({ config: { serviceRanges } });

const post = (api: TestApi, name: string, spec: object = {}, query = '') =>
  api.send('POST', `${SERVICES}${query}`, {
    as: 'admin',
    body: { metadata: { name }, spec: { ...PORTS, ...spec } },
  });

const patch = (api: TestApi, name: string, spec: object) =>
  api.send('PATCH', `${SERVICES}/${name}`, { as: 'admin', type: MERGE, body: { spec } });

const taken = (name: string, ip: string): string =>
  `Service "${name}" is invalid: spec.clusterIPs: Invalid value: ["${ip}"]: failed to allocate IP ${ip}: provided IP is already allocated`;

describe('the address of a new Service', () => {
  it('is one of the range, with the fields that clients wait for', async () => {
    const { code, json } = await post(world(), 'a');
    expect(code).toBe(201);
    const { clusterIP } = json.spec;
    expect(clusterIP).toMatch(/^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/);
    expect(json.spec).toMatchObject({
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      type: 'ClusterIP',
    });
  });

  it.each([
    ['a headless one', { clusterIP: 'None' }, { clusterIP: 'None', clusterIPs: ['None'] }],
    ['one that is a name', { type: 'ExternalName', externalName: 'example.com' }, { clusterIP: undefined }],
  ])('is none for %s', async (_, spec, expected) => {
    const { json } = await post(world(), 'a', spec);
    expect(json.spec).toMatchObject(spec);
    for (const [field, value] of Object.entries(expected)) expect(json.spec[field]).toEqual(value);
  });

  it('can be chosen, once', async () => {
    const api = world();
    expect((await post(api, 'a', { clusterIP: '10.96.0.7' })).json.spec.clusterIPs).toEqual(['10.96.0.7']);
    const again = await post(api, 'b', { clusterIP: '10.96.0.7' });
    expect([again.code, again.json.message]).toEqual([422, taken('b', '10.96.0.7')]);
  });

  it.each(['10.95.0.1', '10.96.0.0', '10.111.255.255', '192.168.0.1'])(
    'must be in the range: %s',
    async (ip) => {
      const { code, json } = await post(world(), 'a', { clusterIP: ip });
      expect([code, json.message]).toEqual([
        422,
        `Service "a" is invalid: spec.clusterIPs: Invalid value: ["${ip}"]: failed to allocate IP ${ip}: the provided IP (${ip}) is not in the valid range. The range of valid IPs is 10.96.0.0/12`,
      ]);
    },
  );

  it('must be an address', async () => {
    const { code, json } = await post(world(), 'a', { clusterIP: 'x' });
    expect([code, json.message]).toEqual([
      422,
      'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
  });

  it.each<[string, object, string, string]>([
    [
      'one of each family',
      { clusterIPs: ['10.96.0.7', '10.96.0.8'] },
      '["10.96.0.7","10.96.0.8"]',
      'may specify no more than one IP for each IP family',
    ],
    [
      'two at most',
      { clusterIPs: ['10.96.0.7', 'fd00::7', 'fd00::8'] },
      '["10.96.0.7","fd00::7","fd00::8"]',
      'may only hold up to 2 values',
    ],
    [
      'the first of all',
      { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.8'] },
      '["10.96.0.8"]',
      'first value must match `clusterIP`',
    ],
    [
      'alone if it is none',
      { clusterIPs: ['None', '10.96.0.7'] },
      '["None","10.96.0.7"]',
      "'None' must be the first and only value",
    ],
  ])('must be %s', async (_, spec, value, why) => {
    const api = world(['10.96.0.0/12', 'fd00::/108']);
    const { code, json } = await post(api, 'a', spec);
    expect([code, json.message]).toEqual([
      422,
      `Service "a" is invalid: spec.clusterIPs: Invalid value: ${value}: ${why}`,
    ]);
    expect((await post(api, 'b', { clusterIP: '10.96.0.7' })).code).toBe(201);
  });

  it('is found for one whose addresses are empty', async () => {
    const { json } = await post(world(), 'a', { clusterIP: '', clusterIPs: [''] });
    expect(json.spec.clusterIP).toMatch(/^10\./);
    expect(json.spec.clusterIPs).toEqual([json.spec.clusterIP]);
  });

  it.each([
    ['10.96.0.7', '010.96.0.07'],
    ['fd00::a', 'FD00:0::000A'],
  ])('is the same in another writing: %s, %s', async (first, second) => {
    const api = world(['10.96.0.0/12', 'fd00::/108']);
    expect((await post(api, 'a', { clusterIP: first })).code).toBe(201);
    expect((await post(api, 'b', { clusterIP: second })).json.message).toBe(taken('b', second));
    await api.send('DELETE', `${SERVICES}/a`, { as: 'admin' });
    expect((await post(api, 'b', { clusterIP: second })).code).toBe(201);
    expect((await post(api, 'c', { clusterIP: first })).json.message).toBe(taken('c', first));
  });

  it('is not that of the Service `kubernetes`', async () => {
    const api = world(['10.96.0.0/30']);
    const chosen = await post(api, 'a', { clusterIP: '10.96.0.1' });
    expect([chosen.code, chosen.json.message]).toEqual([422, taken('a', '10.96.0.1')]);
    expect((await post(api, 'a')).json.spec.clusterIP).toBe('10.96.0.2');
    expect((await post(api, 'b', {}, '?dryRun=All')).code).toBe(500);
    expect((await post(api, 'b')).code).toBe(500);
  });

  it('is shown by a dry run, which takes none', async () => {
    const api = world(['10.97.0.0/30']);
    for (const name of ['a', 'b', 'c'])
      expect((await post(api, name, {}, '?dryRun=All')).json.spec.clusterIP).toMatch(/^10\.97\.0\.[12]$/);
    expect((await post(api, 'a')).code).toBe(201);
  });

  it('differs from that of each other Service, until the range is full', async () => {
    const api = world(['10.97.0.0/29']);
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => post(api, name)));
    expect(new Set(made.map(({ json }) => json.spec.clusterIP)).size).toBe(6);
    const { code, json } = await post(api, 'g');
    expect([code, json.message]).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP: range 10.97.0.0/29 is full',
    ]);
  });

  it('is kept by no Service that was refused', async () => {
    const api = world(['10.97.0.0/30']);
    await post(api, 'a');
    for (const _ of [1, 2, 3]) expect((await post(api, 'a')).code).toBe(409);
    expect((await post(api, 'b')).code).toBe(201);
  });

  it.each([
    ['of the other family', { ipFamilies: ['IPv6'] }, ['IPv6'], [/^fd00::/]],
    ['of both', { ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6'], [/^10\./, /^fd00::/]],
    [
      'of both, the other one first',
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] },
      ['IPv6', 'IPv4'],
      [/^fd00::/, /^10\./],
    ],
  ])('is %s in a cluster with two', async (_, spec, families, addresses) => {
    const { json } = await post(world(['10.96.0.0/12', 'fd00::/108']), 'a', spec);
    expect(json.spec.ipFamilies).toEqual(families);
    expect(json.spec.clusterIPs).toEqual(addresses.map((one) => expect.stringMatching(one)));
  });

  it('of a family that the cluster does not have is refused', async () => {
    const dual = await post(world(), 'a', { ipFamilyPolicy: 'RequireDualStack' });
    expect(dual.json.message).toBe(
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    const six = await post(world(), 'a', { ipFamilies: ['IPv6'] });
    expect(six.json.message).toBe(
      'Service "a" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    );
  });
});

describe('the address of a Service that is changed', () => {
  it('stays, also for a client that does not send it', async () => {
    const api = world();
    const { clusterIP } = (await post(api, 'a')).json.spec;
    const body = { metadata: { name: 'a' }, spec: { ports: [{ port: 81 }] } };
    const { json } = await api.send('PUT', `${SERVICES}/a`, { as: 'admin', body });
    expect([json.spec.clusterIP, json.spec.ports[0].port]).toEqual([clusterIP, 81]);
  });

  it('cannot be another one', async () => {
    const api = world();
    await post(api, 'a', { clusterIP: '10.96.0.7' });
    const { code, json } = await patch(api, 'a', { clusterIP: '10.96.0.8', clusterIPs: ['10.96.0.8'] });
    expect([code, json.message]).toEqual([
      422,
      'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set',
    ]);
  });

  it('cannot be another one in one of its two fields', async () => {
    const api = world();
    await post(api, 'a', { clusterIP: '10.96.0.7' });
    await post(api, 'b', { clusterIP: '10.96.0.8' });
    const list = await patch(api, 'a', { clusterIPs: ['10.96.0.8'] });
    const first = await patch(api, 'a', { clusterIP: '10.96.0.8' });
    expect([list.code, first.code]).toEqual([422, 422]);
    expect(list.json.message).toContain('first value must match `clusterIP`');
    expect(first.json.message).toContain('["10.96.0.8"]: may not change once set');
  });

  it('cannot be that of another Service when it becomes a name, or gets a second one', async () => {
    const api = world(['10.96.0.0/12', 'fd00::/108']);
    await post(api, 'a', { clusterIP: '10.96.0.7' });
    await post(api, 'b', { clusterIP: 'fd00::8' });
    const name = { type: 'ExternalName', externalName: 'example.com' };
    expect(
      (await patch(api, 'a', { ...name, clusterIP: 'fd00::8', clusterIPs: ['fd00::8'] })).json.message,
    ).toBe('Service "a" is invalid: spec.clusterIPs: Forbidden: may not be set for ExternalName services');
    const second = await patch(api, 'a', {
      clusterIPs: ['10.96.0.7', 'fd00::8'],
      ipFamilyPolicy: 'PreferDualStack',
    });
    expect([second.code, second.json.message]).toEqual([
      422,
      'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.7","fd00::8"]: failed to allocate IP fd00::8: provided IP is already allocated',
    ]);
  });

  it('can be joined by a second one, and claims none if the change is refused', async () => {
    const api = world(['10.96.0.0/12', 'fd00::/108']);
    await post(api, 'a', { clusterIP: '10.96.0.7' });
    const dual = { clusterIPs: ['10.96.0.7', 'fd00::8'], ipFamilyPolicy: 'PreferDualStack' };
    expect((await patch(api, 'a', { ...dual, sessionAffinity: 'x' })).code).toBe(422);
    const { code, json } = await patch(api, 'a', { ...dual, ipFamilies: ['IPv4', 'IPv6'] });
    expect([code, json.spec.clusterIPs]).toEqual([200, ['10.96.0.7', 'fd00::8']]);
    expect((await post(api, 'b', { clusterIP: 'fd00::8' })).code).toBe(422);
  });

  it('goes when it becomes a name, and comes when it is none any more', async () => {
    const api = world();
    const { clusterIP } = (await post(api, 'a', { clusterIP: '10.96.0.7' })).json.spec;
    const name = await patch(api, 'a', { type: 'ExternalName', externalName: 'example.com' });
    expect([name.code, name.json.spec.clusterIP, name.json.spec.clusterIPs]).toEqual([
      200,
      undefined,
      undefined,
    ]);
    expect((await post(api, 'b', { clusterIP })).code).toBe(201);
    const back = await patch(api, 'a', { type: 'ClusterIP', externalName: null });
    expect(back.json.spec.clusterIP).toMatch(/^10\./);
    expect(back.json.spec.clusterIP).not.toBe(clusterIP);
    await patch(api, 'a', { type: 'ExternalName', externalName: 'example.com' });
    const chosen = await patch(api, 'a', { type: 'ClusterIP', externalName: null, clusterIP: '10.96.0.7' });
    expect([chosen.code, chosen.json.message]).toEqual([422, taken('a', '10.96.0.7')]);
  });

  it('is given to one that server-side apply makes, and is not owned by the client', async () => {
    const api = world();
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: PORTS };
    const url = `${SERVICES}/a?fieldManager=me`;
    const sent = { as: 'admin', type: 'application/apply-patch+yaml', body };
    const [first, second] = [await api.send('PATCH', url, sent), await api.send('PATCH', url, sent)];
    expect([first.code, second.code]).toEqual([201, 200]);
    expect(second.json.spec.clusterIP).toBe(first.json.spec.clusterIP);
    expect(JSON.stringify(first.json.metadata.managedFields)).not.toContain('clusterIP');
  });
});

describe('the address of a Service that is deleted', () => {
  it.each<[string, (api: TestApi) => Promise<unknown>]>([
    ['alone', (api) => api.send('DELETE', `${SERVICES}/a`, { as: 'admin' })],
    ['with others', (api) => api.send('DELETE', SERVICES, { as: 'admin' })],
    [
      'by a controller',
      (api) =>
        api.writer.write({ resource: 'services', namespace: 'default', name: 'a' }, () => ({
          next: 'delete',
          writer: 'controller',
        })),
    ],
  ])('can be given again: %s', async (_, remove) => {
    const api = world();
    await post(api, 'a', { clusterIP: '10.96.0.7' });
    await remove(api);
    expect((await post(api, 'b', { clusterIP: '10.96.0.7' })).code).toBe(201);
    expect((await post(api, 'c', { clusterIP: '10.96.0.7' })).json.message).toBe(taken('c', '10.96.0.7'));
  });

  it('stays while a finalizer keeps the Service', async () => {
    const api = world();
    const body: Json = {
      metadata: { name: 'a', finalizers: ['example.com/f'] },
      spec: { ...PORTS, clusterIP: '10.96.0.7' },
    };
    await api.send('POST', SERVICES, { as: 'admin', body });
    await api.send('DELETE', `${SERVICES}/a`, { as: 'admin' });
    expect((await post(api, 'b', { clusterIP: '10.96.0.7' })).code).toBe(422);
  });
});
