import { beforeEach, expect, it } from 'vitest';
import { createTestApi, PODS, podBody, statusOf, type TestApi } from '../../../support/servers/api.ts';

const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const createClass = (name: string, rest: object = {}) =>
  api.send('POST', CLASSES, { as: 'admin', body: { metadata: { name }, handler: name, ...rest } });
const createPod = (spec: object = {}) => api.send('POST', PODS, { as: 'admin', body: podBody('p', spec) });

it('a new pod gets overhead, selector and tolerations of its RuntimeClass, after its default tolerations (A-18, A-19)', async () => {
  const scheduling = {
    nodeSelector: { runtime: 'kata' },
    tolerations: [{ key: 'kata', operator: 'Exists' }],
  };
  await createClass('kata', { overhead: { podFixed: { cpu: '250m' } }, scheduling });
  const { json } = await createPod({ runtimeClassName: 'kata', nodeSelector: { disk: 'ssd' } });
  expect(json.spec).toMatchObject({
    overhead: { cpu: '250m' },
    nodeSelector: { disk: 'ssd', runtime: 'kata' },
  });
  expect(json.spec.tolerations.map(({ key }: { key: string }) => key)).toEqual([
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
    'kata',
  ]);
});

it('a new pod is refused if its RuntimeClass does not exist, or does not go with it (A-18)', async () => {
  expect(statusOf(await createPod({ runtimeClassName: 'kata' }))).toEqual([
    403,
    'Forbidden',
    'pods "p" is forbidden: pod rejected: RuntimeClass "kata" not found',
  ]);
  expect(statusOf(await createPod({ overhead: { cpu: '1' } }))).toEqual([
    403,
    'Forbidden',
    'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ]);
});

it('a pod that exists stays as it is when its RuntimeClass goes (A-18)', async () => {
  await createClass('kata');
  await createPod({ runtimeClassName: 'kata' });
  await api.send('DELETE', `${CLASSES}/kata`, { as: 'admin' });
  const body = { metadata: { labels: { a: 'b' } } };
  const type = 'application/merge-patch+json';
  expect((await api.send('PATCH', `${PODS}/p`, { as: 'admin', body, type })).code).toBe(200);
});
