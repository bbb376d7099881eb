import { expect, it, onTestFinished } from 'vitest';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { startHostProcess } from '../../support/servers/host-process.ts';
import { newFolder } from '../../support/servers/patient-host.ts';

it('a host without controllers empties a deleted namespace and removes it', async () => {
  const folder = newFolder();
  const host = await startHostProcess(folder, '--controllers', 'none');
  onTestFinished(() => host.kill());
  const namespaces = '/api/v1/namespaces';
  const names = async (): Promise<readonly string[]> =>
    (await host.get<{ items: readonly ApiObject[] }>(namespaces)).items.map(({ metadata }) => metadata.name);
  await host.send('POST', namespaces, { metadata: { name: 'ns1' } });
  await host.send('POST', `${namespaces}/ns1/configmaps`, { metadata: { name: 'c' } });
  await host.send('DELETE', `${namespaces}/ns1`);
  expect(await names()).toContain('ns1');
  await eventually('the namespace is gone', 20_000, async () => !(await names()).includes('ns1'));
});
