/** How long a watch outlives the right to it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { createTokenCheck } from '../../../../shared/apiserver/access/sender.ts';
import { keysSigningWith, NODES, START, tokenPath } from '../../../support/servers/api.ts';
import { createWatching, type Watching } from '../../../support/watches/watching.ts';

const HOUR = 'watch=1&timeoutSeconds=3600';
const OWN_PODS = `/api/v1/pods?${HOUR}&fieldSelector=spec.nodeName%3Dn1`;

let api: Watching;
let token: string;

beforeEach(async () => {
  api = createWatching();
  await api.send('POST', NODES, { as: 'admin', body: { metadata: { name: 'n1' } } });
  token = (await api.send('POST', tokenPath('n1'), { as: 'admin' })).json.status.token;
});

describe('a watch with the token of a Node', () => {
  it.each([
    ['its pods', OWN_PODS],
    ['itself', `${NODES}?${HOUR}&fieldSelector=metadata.name%3Dn1`],
    ['services', `/api/v1/services?${HOUR}`],
  ])('of %s ends within ten seconds after the Node was deleted', async (_what, url) => {
    const remove = () => api.send('DELETE', `${NODES}/n1`);
    const { lasted, events } = await api.watch(url, remove, { token });
    expect(lasted).toBeGreaterThan(500);
    expect(lasted).toBeLessThanOrEqual(10_500);
    expect(events.filter(({ type }) => type === 'ERROR')).toEqual([]);
  });

  it('ends despite further events, and sends none of them', async () => {
    const services = '/api/v1/namespaces/default/services';
    const makeMany = async () => {
      await api.send('DELETE', `${NODES}/n1`);
      for (let count = 0; count < 60; count += 1) {
        await api.clock.sleep(1_000);
        const body = { metadata: { name: `s${count}` }, spec: { ports: [{ port: 80 }] } };
        await api.send('POST', services, { as: 'admin', body });
      }
    };
    const { events } = await api.watch(`/api/v1/services?${HOUR}`, makeMany, { token });
    expect(events.length).toBeLessThanOrEqual(10);
  });

  it('lasts as long as the client wants while the Node exists', async () => {
    const { lasted } = await api.watch(OWN_PODS.replace('3600', '600'), async () => {}, { token });
    expect(lasted).toBe(600_000);
  });

  it('is checked once for all watches of a token', async () => {
    let reads = 0;
    const { read } = api.objects;
    Object.assign(api.objects, {
      read: async (key: Parameters<typeof read>[0]) => {
        reads += key.resource === 'nodes' ? 1 : 0;
        return read(key);
      },
    });
    const watchers = Array.from({ length: 20 }, () =>
      api.watch(OWN_PODS.replace('3600', '60'), async () => {}, { token }),
    );
    const openedAt = api.clock.now();
    await Promise.all(watchers);
    // Signatures are verified on threads, so the virtual clock may move on between the openings of two watches.
    const seconds = (api.clock.now() - openedAt) / 1_000;
    // One when each watch opens, then one each five seconds for all of them. One check per watch would be 12 times 20.
    expect(reads).toBeLessThanOrEqual(20 + Math.ceil(seconds / 5) + 1);
    expect(reads).toBeLessThan(20 * 12);
  });
});

it('a token is valid until it expires', async () => {
  const signingKeys = keysSigningWith('k1');
  const claims = { name: 'a', groups: [], issuedAt: START, expiresAt: START + 30_000 };
  const brief = await issueToken({ signingKeys, clusterId: 'test' }, claims);
  const isValid = createTokenCheck({ signingKeys, clusterId: 'test' }, api);
  expect(await isValid(`Bearer ${brief}`)).toBe(true);
  await api.clock.run(api.clock.sleep(31_000));
  expect(await isValid(`Bearer ${brief}`)).toBe(false);
});
