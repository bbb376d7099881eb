import { expect, it, onTestFinished } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { startHostProcess } from '../../support/servers/host-process.ts';
import { newFolder } from '../../support/servers/patient-host.ts';

const NAMESPACE = '/api/v1/namespaces/batch';

it('a host admits the pods of a ReplicaSet by their namespace and by the plugins that are switched on', async () => {
  const folder = newFolder();
  const host = await startHostProcess(folder, '--enable-admission-plugins', 'PodTolerationRestriction');
  onTestFinished(() => host.kill());
  const annotations = {
    'rollcall.dev/default-unreachable-toleration-seconds': '30',
    'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"batch","operator":"Exists"}]',
  };
  await host.send('POST', '/api/v1/namespaces', { metadata: { name: 'batch', annotations } });
  const labels = { app: 'job' };
  const spec = { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] };
  const template = { metadata: { labels }, spec };
  await host.send('POST', '/apis/apps/v1/namespaces/batch/replicasets', {
    metadata: { name: 'job' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  const pods = async () => (await host.get<{ items: readonly Pod[] }>(`${NAMESPACE}/pods`)).items;
  const refusals = async () =>
    (await host.get<{ items: readonly { message: string }[] }>(`${NAMESPACE}/events`)).items.filter(
      ({ message }) => message.endsWith('serviceaccount "robot" not found'),
    );
  await eventually(
    'an event says that the account is missing',
    20_000,
    async () => (await refusals()).length > 0,
  );
  expect(await pods()).toEqual([]);
  await host.send('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'robot' } });
  await eventually('the pod is made', 60_000, async () => (await pods()).length === 1);
  const tolerations = (await pods())[0]?.spec.tolerations ?? [];
  expect(tolerations.map(({ key, tolerationSeconds }) => [key, tolerationSeconds])).toEqual([
    ['node.kubernetes.io/not-ready', 300],
    ['node.kubernetes.io/unreachable', 30],
    ['batch', undefined],
  ]);
});
