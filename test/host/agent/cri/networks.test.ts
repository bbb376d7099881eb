/** Pods with a network of their own, by the plug-ins of CNI: a bridge in the machine. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Containerd, startContainerd } from '../../../support/cri/containerd.ts';
import { type CriMachine, startCriMachine } from '../../../support/cri/cri-machine.ts';
import { BUSYBOX, missingForNetworks } from '../../../support/cri/needs.ts';

const missing = missingForNetworks();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const OWN = { hostNetwork: false };
/** Reserved for tests of networks. */
const SUBNET = '198.18.77.0/24';

describe.skipIf(missing !== undefined)(`pods with networks${missing ? ` (${missing})` : ''}`, () => {
  const bridge = `rc${process.pid}`;
  let containerd: Containerd;
  let machine: CriMachine;

  beforeAll(async () => {
    containerd = await startContainerd();
    machine = await startCriMachine(containerd);
  }, 120_000);
  afterAll(async () => {
    machine?.close();
    await containerd?.close();
    execFileSync(BUSYBOX, ['ip', 'link', 'delete', bridge]);
  }, 120_000);

  it('have none before there is a configuration, and the runtime says so', async () => {
    expect(await machine.runtime().conditions?.()).toContainEqual(
      expect.objectContaining({
        type: 'NetworkReady',
        status: false,
        reason: 'NetworkPluginNotReady',
        message: expect.stringMatching(/cni plugin not initialized/),
      }),
    );
    await expect(machine.pod(OWN).sandbox()).rejects.toThrow(/cni plugin not initialized/);
    // The network of the host is there in any case.
    const onHost = machine.pod();
    await onHost.sandbox();
    await onHost.remove();
    containerd.addNetwork('10-bridge.conflist', {
      cniVersion: '0.4.0',
      name: bridge,
      plugins: [
        {
          type: 'bridge',
          bridge,
          isGateway: true,
          ipam: { type: 'host-local', dataDir: `${containerd.folder}/ipam`, ranges: [[{ subnet: SUBNET }]] },
        },
      ],
    });
    await expect
      .poll(async () => (await machine.runtime().conditions?.())?.every(({ status }) => status), {
        timeout: 30_000,
      })
      .toBe(true);
  }, 60_000);

  it('have addresses, names, and reach each other', async () => {
    const [server, client] = [machine.pod(OWN), machine.pod(OWN)];
    await server.sandbox();
    await server.shell('hostname; cat /etc/hosts; while :; do nc -l -p 8080 -e /bin/echo hello; done');
    const there = await machine.runtime().pod(server.pod.metadata.uid ?? '');
    expect(there?.ips).toEqual([expect.stringMatching(/^198\.18\.77\.\d+$/)]);
    const [ip = ''] = there?.ips ?? [];
    await client.sandbox();
    const asked = await client.shell(`until nc ${ip} 8080; do sleep 0.2; done`);
    expect(await client.ended(asked)).toMatchObject({ exitCode: 0 });
    expect(client.log()).toMatch(/stdout F hello/);
    expect(server.log()).toMatch(new RegExp(`stdout F ${server.pod.metadata.name}\n`));
    expect(server.log()).toMatch(new RegExp(`stdout F ${ip}\t${server.pod.metadata.name}\n`));
    await server.remove();
    await client.remove();
  }, 60_000);
});
