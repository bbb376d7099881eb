import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, rollcall } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';
import { hasKubectl, kubectlEnvironment, runKubectl } from '../../support/shell/kubectl.ts';

const SHUTDOWN = '/apis/rollcall.dev/v1/nodes/n1/shutdown';
const LABELS = { app: 'web' };

const addReplicaSet = (host: HostProcess): Promise<unknown> =>
  host.send('POST', '/apis/apps/v1/namespaces/default/replicasets', {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'img' }] } },
    },
  });

const onNode = (pods: readonly Pod[], name: string): number =>
  pods.filter(({ spec, metadata }) => spec.nodeName === name && metadata.deletionTimestamp === undefined)
    .length;

if (!hasKubectl) process.stdout.write('skipped: a shutdown by kubectl: this machine has no kubectl\n');

it.skipIf(!hasKubectl)(
  'kubectl and explain show a node that shuts down, also after a kill of the host, until its deadline (J-130 to J-141)',
  async () => {
    const folder = newFolder();
    const state = join(folder, 'state');
    const first = await startPatientHost(state);
    const env = kubectlEnvironment(join(state, 'kubeconfig'), folder);
    const statusOf = async (): Promise<string> =>
      (await runKubectl(env, ['get', 'node', 'n1', '--no-headers'])).split(/\s+/)[1] ?? '';
    await addReadyNode(first, 'n1');
    await addReplicaSet(first);
    await eventually('both pods are on n1', 30_000, async () => onNode(await first.pods(), 'n1') === 2);
    await addReadyNode(first, 'n2');

    const report = {
      id: 's1',
      phase: 1,
      phases: 2,
      phaseSeconds: 30,
      remainingSeconds: 45,
      totalSeconds: 45,
    };
    await first.send('POST', SHUTDOWN, report);
    expect(await statusOf()).toBe('NotReady,ShuttingDown');
    expect(await runKubectl(env, ['describe', 'node', 'n1'])).toMatch(
      /GracefulNodeShutdownInProgress\s+True.*The node is shutting down: phase 1 of 2/,
    );
    await eventually('two replacements', 20_000, async () => onNode(await first.pods(), 'n2') === 2);
    expect(onNode(await first.pods(), 'n1')).toBe(2);
    const explained = await rollcall('explain', 'node', 'n1', '--folder', state);
    expect(explained.output).toMatch(/end of phase 1 of 2: in \d+s/);
    expect(explained.output).toMatch(/until then the node ends its pods itself: in \d+s/);
    await first.kill();

    const again = await startPatientHost(state);
    await again.send('POST', SHUTDOWN, { ...report, phase: 2, phaseSeconds: 15, remainingSeconds: 15 });
    expect(await statusOf()).toBe('NotReady,ShuttingDown');
    await eventually('the deadline is over', 60_000, async () => (await statusOf()) === 'NotReady');
    // The pods that were not ended count again, so two are too many.
    await eventually('two pods too many go', 30_000, async () => {
      const pods = await again.pods();
      return onNode(pods, 'n1') + onNode(pods, 'n2') === 2;
    });
  },
  180_000,
);
