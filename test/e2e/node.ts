/** The one node that the tests want: Ready, with room for their pods, which run as soon as they are bound. */

import { createApiClient, expectOk } from '../../shared/client/api-client.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import { startKubelets } from '../clients/kubelets.ts';

const NODE = 'e2e-1';
const NODES = '/api/v1/nodes';
/** Well below the grace period. */
const BEAT_MS = 5_000;
/** Between two looks at the pods. */
const PODS_MS = 1_000;

const AMOUNTS = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };

const statusAt = (now: Date) => ({
  capacity: AMOUNTS,
  allocatable: AMOUNTS,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'the tests keep it ready',
      lastHeartbeatTime: `${now.toISOString().slice(0, 19)}Z`,
    },
  ],
});

const LABELS = { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' };

/** Makes the node, and keeps it Ready until it is stopped. */
export const startNode = async (url: string, ca: string, token: string): Promise<Loop> => {
  const client = createApiClient(url, ca);
  const beat = () =>
    expectOk(client.call('PATCH', `${NODES}/${NODE}/status`, token, { status: statusAt(new Date()) }));
  await expectOk(client.call('POST', NODES, token, { metadata: { name: NODE, labels: LABELS } }));
  await beat();
  const onError = (error: unknown): void => console.error('the node could not report', error);
  const loop = startLoop({ everyMs: BEAT_MS, work: beat, onError });
  const kubelets = startKubelets((method, path, body) => expectOk(client.call(method, path, token, body)), {
    periodMs: PODS_MS,
  });
  return {
    stop: async () => {
      await kubelets.stop();
      await loop.stop();
      client.close();
    },
  };
};
