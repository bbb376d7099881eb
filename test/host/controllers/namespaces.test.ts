import { expect, it, onTestFinished } from 'vitest';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';
import { newFolder } from '../../support/servers/patient-host.ts';

const NAMESPACES = '/api/v1/namespaces';
const CONFIG_MAPS = `${NAMESPACES}/ns1/configmaps`;
const COUNT = 300;

const namesIn = async ({ get }: HostProcess, path: string): Promise<readonly string[]> =>
  (await get<{ items: readonly ApiObject[] }>(path)).items.map(({ metadata }) => metadata.name);

const fill = async (host: HostProcess): Promise<void> => {
  await host.send('POST', NAMESPACES, { metadata: { name: 'ns1' } });
  const names = Array.from({ length: COUNT }, (_, index) => `c${index}`);
  await Promise.all(names.map((name) => host.send('POST', CONFIG_MAPS, { metadata: { name } })));
  await host.send('POST', CONFIG_MAPS, { metadata: { name: 'held', finalizers: ['example.com/f'] } });
};

it('a namespace that is being emptied is gone after a kill -9 and a restart (K-50)', async () => {
  const folder = newFolder();
  const first = await startHostProcess(folder);
  await fill(first);
  await first.send('DELETE', `${NAMESPACES}/ns1`);
  await eventually(
    'the first objects are gone',
    20_000,
    async () => (await namesIn(first, CONFIG_MAPS)).length <= COUNT,
    { everyMs: 5 },
  );
  await first.kill();

  const second = await startHostProcess(folder);
  onTestFinished(() => second.kill());
  await eventually('only the held object is left', 30_000, async () =>
    (await namesIn(second, CONFIG_MAPS)).join() === 'held' ? true : undefined,
  );
  await expect(second.send('POST', CONFIG_MAPS, { metadata: { name: 'late' } })).rejects.toThrow(
    /because it is being terminated/,
  );
  await second.send('PUT', `${CONFIG_MAPS}/held`, { metadata: { name: 'held' } });
  await eventually('the namespace is gone', 30_000, async () =>
    (await namesIn(second, NAMESPACES)).includes('ns1') ? undefined : true,
  );
  await second.send('POST', NAMESPACES, { metadata: { name: 'ns1' } });
  expect(await namesIn(second, CONFIG_MAPS)).toEqual(['kube-root-ca.crt']);
}, 120_000);
