import { describe, expect, it } from 'vitest';
import { createTestApi } from '../../../support/servers/api.ts';

const APPLY = 'application/apply-patch+yaml';
const containers = [{ name: 'c', image: 'i' }];
const labelled = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const selector = { matchLabels: { a: 'b' } };
const finite = { spec: { containers, restartPolicy: 'Never' } };

/** Fields of a template's pod spec; what the defaults add is left open. */
const POD = { 'f:containers': { 'k:{"name":"c"}': expect.objectContaining({ '.': {}, 'f:image': {} }) } };
const LABELLED = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
  'f:spec': expect.objectContaining(POD),
};
const ROLLING = { 'f:rollingUpdate': expect.objectContaining({ '.': {} }), 'f:type': {} };
const FINITE = { 'f:spec': expect.objectContaining(POD) };

// Source of the expected sets: `managedFields` of kubernetes v1.34. A struct that is no pointer in Go is a part of every
// object, so that its creator does not own the struct itself, and owns nothing of an empty one.
const ROWS: readonly (readonly [string, string, object, object])[] = [
  [
    'Deployment',
    'apps/v1/namespaces/default/deployments',
    { selector, template: labelled },
    { 'f:strategy': ROLLING, 'f:template': LABELLED },
  ],
  [
    'StatefulSet',
    'apps/v1/namespaces/default/statefulsets',
    { selector, serviceName: 's', template: labelled },
    { 'f:updateStrategy': expect.not.objectContaining({ '.': {} }), 'f:template': LABELLED },
  ],
  [
    'DaemonSet',
    'apps/v1/namespaces/default/daemonsets',
    { selector, template: labelled },
    { 'f:updateStrategy': ROLLING, 'f:template': LABELLED },
  ],
  [
    'ReplicaSet',
    'apps/v1/namespaces/default/replicasets',
    { selector, template: labelled },
    { 'f:template': LABELLED },
  ],
  ['Job', 'batch/v1/namespaces/default/jobs', { template: finite }, { 'f:template': FINITE }],
  [
    'CronJob',
    'batch/v1/namespaces/default/cronjobs',
    { schedule: '* * * * *', jobTemplate: { spec: { template: finite } } },
    { 'f:jobTemplate': { 'f:spec': { 'f:template': FINITE } } },
  ],
];

interface Entry {
  readonly manager: string;
  readonly fieldsV1: { readonly 'f:spec': object };
}

describe('who creates a workload', () => {
  it.each(ROWS)('owns the fields of its template, not the structs: %s', async (_, path, spec, fields) => {
    const body = { metadata: { name: 'x' }, spec };
    const made = await createTestApi().send('POST', `/apis/${path}`, { as: 'admin', body });
    expect([made.code, made.json.message]).toEqual([201, undefined]);
    const [entry] = made.json.metadata.managedFields as readonly Entry[];
    expect(entry?.fieldsV1['f:spec']).toEqual(expect.objectContaining(fields));
  });
});

it('a Job stays as it is when its creator goes over to server-side apply', async () => {
  const api = createTestApi();
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: { template: finite } };
  const url = '/apis/batch/v1/namespaces/default/jobs';
  const made = await api.send('POST', url, { as: 'admin', body: job });
  const [entry] = made.json.metadata.managedFields;
  const managedFields = [{ ...entry, manager: 'kubectl', operation: 'Apply' }];
  const type = 'application/merge-patch+json';
  await api.send('PATCH', `${url}/x`, { as: 'admin', type, body: { metadata: { managedFields } } });
  const applied = await api.send('PATCH', `${url}/x?fieldManager=kubectl`, {
    as: 'admin',
    type: APPLY,
    body: job,
  });
  expect([applied.code, applied.json.message]).toEqual([200, undefined]);
  expect(applied.json.spec.template.metadata).toEqual(made.json.spec.template.metadata);
});
