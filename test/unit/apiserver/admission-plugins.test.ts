import { describe, expect, it } from 'vitest';
import { createTestApi, PODS, podBody } from './api.ts';

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
