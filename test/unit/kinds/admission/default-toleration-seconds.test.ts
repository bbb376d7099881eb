import { beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, podBody, statusOf, type TestApi } from '../../../support/servers/api.ts';

const NAMESPACES = '/api/v1/namespaces';
const NOT_READY = 'rollcall.dev/default-not-ready-toleration-seconds';
const UNREACHABLE = 'rollcall.dev/default-unreachable-toleration-seconds';
const MERGE = 'application/merge-patch+json';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const annotate = (name: string, annotations: object, subresource = '') =>
  api.send('PATCH', `${NAMESPACES}/${name}${subresource}`, {
    as: 'admin',
    type: MERGE,
    body: { metadata: { annotations } },
  });
const secondsOf = ({ json }: { readonly json: { spec: { tolerations: { tolerationSeconds: number }[] } } }) =>
  json.spec.tolerations.map(({ tolerationSeconds }) => tolerationSeconds);
const createPod = (namespace: string, name = 'p') =>
  api.send('POST', `${NAMESPACES}/${namespace}/pods`, { as: 'admin', body: podBody(name) });

describe('the default toleration seconds of a namespace', () => {
  it('are those of its annotations, for pods that come later (A-27)', async () => {
    await api.send('POST', NAMESPACES, { as: 'admin', body: { metadata: { name: 'ns1' } } });
    expect(secondsOf(await createPod('ns1', 'early'))).toEqual([300, 300]);
    await annotate('ns1', { [UNREACHABLE]: '30' });
    expect(secondsOf(await createPod('ns1'))).toEqual([300, 30]);
    expect(secondsOf(await api.send('GET', `${NAMESPACES}/ns1/pods/early`))).toEqual([300, 300]);
  });

  it('can be those of a built-in namespace (A-27)', async () => {
    await annotate('default', { [NOT_READY]: '0', [UNREACHABLE]: '60' });
    expect(secondsOf(await createPod('default'))).toEqual([0, 60]);
  });

  it('stay when an update leaves the tolerations out (A-28)', async () => {
    await annotate('default', { [UNREACHABLE]: '60' });
    await createPod('default');
    await annotate('default', { [UNREACHABLE]: '90' });
    const path = `${NAMESPACES}/default/pods/p`;
    const body = { spec: { tolerations: null } };
    expect(secondsOf(await api.send('PATCH', path, { as: 'admin', type: MERGE, body }))).toEqual([300, 60]);
  });

  it.each(['', '/status'])(
    'are refused if they are not whole seconds of up to 30 days, by %j (A-27)',
    async (subresource) => {
      expect(statusOf(await annotate('default', { [UNREACHABLE]: '5m' }, subresource))).toEqual([
        422,
        'Invalid',
        `Namespace "default" is invalid: metadata.annotations[${UNREACHABLE}]: Invalid value: "5m": must be whole seconds from 0 to 2592000 (30 days), such as 60`,
      ]);
    },
  );

  it('are refused in a new namespace, too (A-27)', async () => {
    const body = { metadata: { name: 'ns1', annotations: { [NOT_READY]: '-1' } } };
    expect((await api.send('POST', NAMESPACES, { as: 'admin', body })).code).toBe(422);
  });
});
