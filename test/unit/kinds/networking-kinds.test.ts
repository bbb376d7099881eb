import { expect, it } from 'vitest';
import { createTestApi, type Json } from '../../support/servers/api.ts';

const GROUP = '/apis/networking.k8s.io/v1';
const INGRESSES = `${GROUP}/namespaces/default/ingresses`;
const POLICIES = `${GROUP}/namespaces/default/networkpolicies`;
const CLASSES = `${GROUP}/ingressclasses`;

const post = async (url: string, spec: object): Promise<Json> =>
  (await createTestApi().send('POST', url, { as: 'admin', body: { metadata: { name: 'x' }, spec } })).json;

const backend = { service: { name: 's', port: { number: 80 } } };
const path = (more: object) => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...more }] } }],
});
const AT = 'spec.rules[0].http.paths[0]';

it.each<[string, string, object, string]>([
  ['Ingress', INGRESSES, {}, 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
  [
    'Ingress',
    INGRESSES,
    { defaultBackend: {} },
    'spec.defaultBackend: Invalid value: "": resource or service backend is required',
  ],
  [
    'Ingress',
    INGRESSES,
    { defaultBackend: { service: { name: 's' } } },
    'spec.defaultBackend.service.port: Required value: port name or number is required',
  ],
  ['Ingress', INGRESSES, path({ path: 'x' }), `${AT}.path: Invalid value: "x": must be an absolute path`],
  [
    'Ingress',
    INGRESSES,
    path({ path: '/a//b' }),
    `${AT}.path: Invalid value: "/a//b": must not contain '//'`,
  ],
  [
    'Ingress',
    INGRESSES,
    path({ pathType: 'Other' }),
    `${AT}.pathType: Unsupported value: "Other": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
  ],
  [
    'Ingress',
    INGRESSES,
    { rules: [{ host: '10.1.2.3' }] },
    'spec.rules[0].host: Invalid value: "10.1.2.3": must be a DNS name, not an IP address',
  ],
  ['Ingress', INGRESSES, { rules: [{ http: { paths: [] } }] }, 'spec.rules[0].http.paths: Required value'],
  ['IngressClass', CLASSES, {}, 'spec.controller: Required value'],
  [
    'IngressClass',
    CLASSES,
    { controller: 'a.b/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } },
    "spec.parameters.namespace: Required value: parameters.scope is set to 'Namespace'",
  ],
  [
    'NetworkPolicy',
    POLICIES,
    { podSelector: {}, ingress: [{ from: [{}] }] },
    'spec.ingress[0].from[0]: Required value: must specify a peer',
  ],
  [
    'NetworkPolicy',
    POLICIES,
    { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
    'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
  ],
  [
    'NetworkPolicy',
    POLICIES,
    { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 70 }] }] },
    'spec.ingress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`',
  ],
])('a wrong %s is refused (%#)', async (kind, url, spec, fault) => {
  expect((await post(url, spec)).message).toBe(`${kind}.networking.k8s.io "x" is invalid: ${fault}`);
});

it('an Ingress without a pathType is refused', async () => {
  expect((await post(INGRESSES, path({ pathType: undefined }))).message).toContain(
    `${AT}.pathType: Required value: pathType must be specified`,
  );
});

it.each<[string, string, object, object]>([
  ['Ingress', INGRESSES, { rules: [{ host: '*.example.com', http: path({}).rules[0]?.http }] }, {}],
  [
    'IngressClass',
    CLASSES,
    { controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } },
    { parameters: { kind: 'K', name: 'n', scope: 'Cluster' } },
  ],
  [
    'NetworkPolicy',
    POLICIES,
    { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] },
    { policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ protocol: 'TCP', port: 53 }] }] },
  ],
  [
    'NetworkPolicy that isolates',
    POLICIES,
    { podSelector: {} },
    { policyTypes: ['Ingress'], podSelector: {} },
  ],
])('an %s is stored with its defaults', async (_, url, spec, defaulted) => {
  const { spec: stored, metadata } = await post(url, spec);
  expect(stored).toEqual({ ...spec, ...defaulted });
  expect(metadata.generation).toBe(1);
});

it('the kinds of the list that `kubectl apply --prune` reads by default can be listed and deleted', async () => {
  const api = createTestApi();
  const kinds = [
    [
      'v1',
      'ConfigMap Endpoints Namespace PersistentVolumeClaim PersistentVolume Pod ReplicationController Secret Service',
    ],
    ['batch/v1', 'Job CronJob'],
    ['networking.k8s.io/v1', 'Ingress'],
    ['apps/v1', 'DaemonSet Deployment ReplicaSet StatefulSet'],
  ] as const;
  for (const [version, names] of kinds) {
    const { json } = await api.send('GET', `/${version === 'v1' ? 'api' : 'apis'}/${version}`, {
      as: 'admin',
    });
    for (const kind of names.split(' ')) {
      const entry = json.resources.find((one: Json) => one.kind === kind && !one.name.includes('/'));
      expect(entry?.verbs, `${version} ${kind}`).toEqual(expect.arrayContaining(['delete', 'list']));
    }
  }
});
