import { expect, it } from 'vitest';
import { nodeOfPods } from '../../../../agent/program/node-of-pods.ts';
import { createRuntimeHealth } from '../../../../agent/program/runtime-health.ts';
import { createWorkObjects } from '../../../../agent/program/work-objects.ts';
import { decodeKubeletConfig } from '../../../../agent/rules/config/kubelet-config.ts';
import { known, NOT_KNOWN } from '../../../../agent/rules/known.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

const podWith = (volumes: readonly object[], phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [], volumes },
  status: { phase: phase as 'Running' },
});

const NOTHING = {
  pods: [],
  configMaps: [],
  secrets: [],
  persistentVolumeClaims: [],
  persistentVolumes: [],
  runtimeClasses: [],
};

it('J-155: claims are those of the last answer by namespace, volumes by name', () => {
  const objects = createWorkObjects();
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a', namespace: 'n' } };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' } };
  objects.replace({ ...NOTHING, persistentVolumeClaims: [claim], persistentVolumes: [volume] });
  expect([objects.claim('n', 'a'), objects.claim('m', 'a'), objects.volume('v')]).toEqual([
    claim,
    undefined,
    volume,
  ]);
});

it('J-176: RuntimeClasses are those of the last answer, by name', () => {
  const objects = createWorkObjects();
  const sandboxed = {
    apiVersion: 'v1',
    kind: 'RuntimeClass',
    metadata: { name: 'gvisor' },
    handler: 'runsc',
  };
  objects.replace({ ...NOTHING, runtimeClasses: [sandboxed] });
  expect([objects.runtimeClass('gvisor'), objects.runtimeClass('kata')]).toEqual([sandboxed, undefined]);
});

it('ConfigMaps and Secrets are those of the last answer, by namespace and name', () => {
  const objects = createWorkObjects();
  const configMap = { metadata: { name: 'a', namespace: 'n' }, data: { k: 'v' } };
  objects.replace({ ...NOTHING, configMaps: [configMap as never] });
  expect(objects.configMap('n', 'a')).toBe(configMap);
  expect([objects.configMap('m', 'a'), objects.secret('n', 'a')]).toEqual([undefined, undefined]);
  objects.replace(NOTHING);
  expect(objects.configMap('n', 'a')).toBeUndefined();
});

it.each([
  ['a ConfigMap as files', [{ name: 'v', configMap: { name: 'a' } }], 'Running', true],
  ['a Secret as files', [{ name: 'v', secret: { secretName: 'a' } }], 'Running', true],
  ['projected files', [{ name: 'v', projected: {} }], 'Pending', true],
  ['a claim', [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }], 'Pending', true],
  ['other volumes', [{ name: 'v', emptyDir: {} }], 'Running', false],
  ['files, and has ended', [{ name: 'v', projected: {} }], 'Failed', false],
])('changes are followed while a pod has %s: %o %s', (_what, volumes, phase, expected) => {
  const objects = createWorkObjects();
  objects.replace({ ...NOTHING, pods: [podWith(volumes, phase)] });
  expect(objects.areFollowed()).toBe(expected);
});

it('a runtime that has not answered for 30 s is down, and the node is not ready', async () => {
  const time = createVirtualClock(0);
  let isUp = true;
  const facts = async () => {
    if (!isUp) throw new Error('gone');
    return { type: 'process', handlers: [] };
  };
  const health = createRuntimeHealth({ facts }, { uptime: time.now, sleep: time.sleep });
  expect(health.errors()).toEqual({
    runtimeErrors: ['container runtime status check may not have completed yet'],
    networkErrors: ['network state unknown'],
  });
  const stop = new AbortController();
  const seen: (readonly string[])[] = [];
  const watch = async (): Promise<void> => {
    await time.sleep(1);
    seen.push(health.errors().runtimeErrors);
    isUp = false;
    await time.sleep(30_000);
    seen.push(health.errors().runtimeErrors);
    stop.abort();
  };
  await time.run(Promise.all([health.run(stop.signal), watch()]));
  expect(seen).toEqual([[], ['container runtime is down']]);
});

it('pods are told their node as it was seen last', () => {
  const status = {
    addresses: [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'n1' },
    ],
    capacity: { memory: '1Gi' },
    allocatable: { cpu: '2' },
  };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status };
  const config = decodeKubeletConfig({ podPidsLimit: 7, podLogsDir: '/logs' });
  const told = nodeOfPods({ settings: { config }, server: 'https://a.example', latest: () => known(node) });
  expect([told.hostIPs(), told.memoryCapacity(), told.allocatable()]).toEqual([
    ['192.0.2.1'],
    2 ** 30,
    { cpu: '2' },
  ]);
  expect(told).toMatchObject({
    podPidsLimit: 7,
    logFolder: '/logs',
    services: { KUBERNETES_SERVICE_HOST: 'a.example', KUBERNETES_SERVICE_PORT: '443' },
  });
  const unknown = nodeOfPods({ settings: { config }, server: 'https://a', latest: () => NOT_KNOWN });
  expect([unknown.hostIPs(), unknown.memoryCapacity()]).toEqual([[], 0]);
});
