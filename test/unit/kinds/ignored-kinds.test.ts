import { expect, it } from 'vitest';
import { createTestApi, MERGE } from '../../support/servers/api.ts';

const IN = 'namespaces/default';
const named = (parts: object) => ({ metadata: { name: 'x' }, ...parts });
const podSpec = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' };
const rule = {
  http: {
    paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
  },
};

/** Each kind that is stored and that no controller acts on, with what follows for the client. */
const IGNORED: readonly (readonly [kind: string, url: string, body: object, so: string])[] = [
  ['Service', `/api/v1/${IN}/services`, { spec: { ports: [{ port: 80 }] } }, 'nothing routes its cluster IP'],
  [
    'ReplicationController',
    `/api/v1/${IN}/replicationcontrollers`,
    { spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: podSpec.containers } } } },
    'no pod is created',
  ],
  ['LimitRange', `/api/v1/${IN}/limitranges`, { spec: { limits: [{ type: 'Pod' }] } }, 'it limits nothing'],
  ['ResourceQuota', `/api/v1/${IN}/resourcequotas`, { spec: {} }, 'it limits nothing'],
  [
    'CronJob',
    `/apis/batch/v1/${IN}/cronjobs`,
    { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } } },
    'no Job is created',
  ],
  [
    'Ingress',
    `/apis/networking.k8s.io/v1/${IN}/ingresses`,
    { spec: { rules: [rule] } },
    'no traffic is routed',
  ],
  [
    'IngressClass',
    '/apis/networking.k8s.io/v1/ingressclasses',
    { spec: { controller: 'example.com/c' } },
    'no Ingress is served',
  ],
  [
    'NetworkPolicy',
    `/apis/networking.k8s.io/v1/${IN}/networkpolicies`,
    { spec: { podSelector: {} } },
    'pods reach each other',
  ],
  [
    'ResourceClaim',
    `/apis/resource.k8s.io/v1/${IN}/resourceclaims`,
    { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } },
    'no device is allocated',
  ],
  ['DeviceClass', '/apis/resource.k8s.io/v1/deviceclasses', { spec: {} }, 'no device is allocated'],
];

it.each(IGNORED)(
  'who creates or changes a %s is warned that nothing acts on it',
  async (kind, url, body, so) => {
    const api = createTestApi();
    const made = await api.send('POST', url, { as: 'admin', body: named(body) });
    expect([made.code, made.json.message]).toEqual([201, undefined]);
    const warning = expect.stringMatching(
      new RegExp(
        `^299 - "Rollcall stores this ${kind}, and none of its controllers acts on it: ${so}[^"]*"$`,
      ),
    );
    expect(made.headers['warning']).toEqual(warning);
    const change = { as: 'admin', type: MERGE, body: { metadata: { labels: { a: 'b' } } } };
    expect((await api.send('PATCH', `${url}/x`, change)).headers['warning']).toEqual(warning);
    expect((await api.send('GET', `${url}/x`, { as: 'admin' })).headers['warning']).toBeUndefined();
  },
);

const UNROUTED = 'nothing routes its cluster IP or its name to its pods';

it.each([
  ['without a type', {}, UNROUTED],
  ['ClusterIP', { type: 'ClusterIP' }, UNROUTED],
  ['NodePort', { type: 'NodePort' }, `${UNROUTED}, and it gets no node ports`],
  ['LoadBalancer', { type: 'LoadBalancer' }, `${UNROUTED}, and it gets no load balancer`],
  ['headless', { clusterIP: 'None' }, 'nothing resolves its name to its pods'],
  [
    'ExternalName',
    { type: 'ExternalName', externalName: 'example.com' },
    'nothing resolves its name to its external name',
  ],
])('the warning about a Service says what this one lacks: %s', async (_, spec, so) => {
  const body = named({ spec: { ports: [{ port: 80 }], ...spec } });
  const made = await createTestApi().send('POST', `/api/v1/${IN}/services`, { as: 'admin', body });
  const warning = `299 - "Rollcall stores this Service, and none of its controllers acts on it: ${so}"`;
  expect([made.code, made.headers['warning']]).toEqual([201, warning]);
});

it('a kind that a controller acts on has no such warning', async () => {
  const body = named({ spec: { template: { spec: podSpec } } });
  const made = await createTestApi().send('POST', `/apis/batch/v1/${IN}/jobs`, { as: 'admin', body });
  expect([made.code, made.headers['warning']]).toEqual([201, undefined]);
});
