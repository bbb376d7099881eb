import { describe, expect, it } from 'vitest';
import { createTestApi, PODS, podBody, statusOf } from '../../../support/servers/api.ts';

const MERGE = 'application/merge-patch+json';
const GPU = 'example.com/gpu';

const keysOf = ({ json }: { readonly json: { spec: { tolerations: { key: string }[] } } }) =>
  json.spec.tolerations.map(({ key }) => key);
const asking = { containers: [{ name: 'c', image: 'i', resources: { limits: { [GPU]: '1' } } }] };

describe('ExtendedResourceToleration', () => {
  it('is off unless it is named', async () => {
    const made = await createTestApi().send('POST', PODS, { as: 'admin', body: podBody('p', asking) });
    expect(keysOf(made)).not.toContain(GPU);
  });

  it('adds its tolerations after the default ones, and again on an update (A-24)', async () => {
    const api = createTestApi({ config: { enableAdmissionPlugins: ['ExtendedResourceToleration'] } });
    const made = await api.send('POST', PODS, { as: 'admin', body: podBody('p', asking) });
    const all = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', GPU];
    expect(keysOf(made)).toEqual(all);
    const patch = { as: 'admin', type: MERGE, body: { spec: { tolerations: null } } };
    expect(keysOf(await api.send('PATCH', `${PODS}/p`, patch))).toEqual(all);
  });
});

describe('PodTolerationRestriction', () => {
  const NAMESPACE = '/api/v1/namespaces/ns1';
  const POD = `${NAMESPACE}/pods/p`;
  const FOO = { key: 'foo', operator: 'Exists', effect: 'NoSchedule' };
  const [NOT_READY, UNREACHABLE] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
  const ANY_OF = [
    { key: NOT_READY, operator: 'Exists' },
    { key: UNREACHABLE, operator: 'Exists' },
  ];
  const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
  const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

  const withNamespace = async (annotations: object, on = true) => {
    const api = createTestApi(on ? { config: { enableAdmissionPlugins: ['PodTolerationRestriction'] } } : {});
    const body = { metadata: { name: 'ns1', annotations } };
    await api.send('POST', '/api/v1/namespaces', { as: 'admin', body });
    const createPod = (spec: object = {}) =>
      api.send('POST', `${NAMESPACE}/pods`, { as: 'admin', body: podBody('p', spec) });
    const patch = (path: string, given: object) =>
      api.send('PATCH', path, { as: 'admin', type: MERGE, body: given });
    return { api, createPod, patch };
  };
  const refusal = (why: string) => [403, 'Forbidden', `pods "p" is forbidden: ${why}`];
  const CONFLICT = refusal(
    'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
  );

  it('is off unless it is named', async () => {
    const { createPod } = await withNamespace({ [DEFAULTS]: 'nope', [WHITELIST]: 'nope' }, false);
    expect((await createPod()).code).toBe(201);
  });

  it('merges the defaults of the namespace into a new pod (A-25)', async () => {
    const { createPod } = await withNamespace({ [DEFAULTS]: JSON.stringify([FOO]) });
    expect(keysOf(await createPod())).toEqual([NOT_READY, UNREACHABLE, 'foo']);
  });

  it('refuses tolerations that the namespace does not list, on each write (A-26)', async () => {
    const { createPod, patch } = await withNamespace({ [WHITELIST]: JSON.stringify(ANY_OF) });
    expect(statusOf(await createPod({ tolerations: [FOO] }))).toEqual(CONFLICT);
    expect((await createPod()).code).toBe(201);
    expect((await patch(POD, { metadata: { labels: { a: 'b' } } })).code).toBe(200);
    const tolerations = [FOO, ...ANY_OF];
    expect(statusOf(await patch(POD, { spec: { tolerations } }))).toEqual(CONFLICT);
    // A status is not checked, so that a node can report.
    await patch(NAMESPACE, { metadata: { annotations: { [WHITELIST]: JSON.stringify([FOO]) } } });
    expect((await patch(`${POD}/status`, { status: { phase: 'Running' } })).code).toBe(200);
  });

  it('refuses pods if an annotation cannot be read (A-25)', async () => {
    const { createPod } = await withNamespace({ [DEFAULTS]: '{}' });
    expect(statusOf(await createPod())).toEqual(
      refusal('json: cannot unmarshal object into Go value of type []v1.Toleration'),
    );
  });

  it('reads the annotations of a built-in namespace, too', async () => {
    const { api, patch } = await withNamespace({});
    await patch('/api/v1/namespaces/default', { metadata: { annotations: { [DEFAULTS]: '{}' } } });
    expect((await api.send('POST', PODS, { as: 'admin', body: podBody('p') })).code).toBe(403);
  });
});
