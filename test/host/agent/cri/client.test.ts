/** The gRPC client against a real containerd. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCriClient } from '../../../../agent/adapters/cri/client.ts';
import { isNotFound } from '../../../../agent/adapters/cri/cri-error.ts';
import { type Containerd, SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';

const missing = missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

describe.skipIf(missing !== undefined)(`a client of containerd${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;

  beforeAll(async () => {
    // The other tests of this folder have overlayfs.
    containerd = await startContainerd({ snapshotter: 'native' });
  }, 120_000);
  afterAll(() => containerd?.close());

  it('hears its version, conditions and images', async () => {
    const { runtime, images } = containerd.client;
    expect(await runtime.version({})).toMatchObject({ runtimeName: 'containerd', runtimeApiVersion: 'v1' });
    const { status } = await runtime.status({});
    expect(status?.conditions.map(({ type, status: is }) => [type, is])).toEqual([
      ['RuntimeReady', true],
      ['NetworkReady', false],
    ]);
    const listed = await images.listImages({});
    expect(listed.images.flatMap(({ repoTags }) => repoTags).toSorted()).toEqual([
      'rollcall.test/pause:1',
      SHELL_IMAGE,
    ]);
  });

  it('runs a container on the network of the host, and sees it end', async () => {
    const { runtime } = containerd.client;
    const sandboxConfig = {
      metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 },
      logDirectory: join(containerd.folder, 'logs'),
      linux: {
        cgroupParent: containerd.cgroup,
        securityContext: { namespaceOptions: { network: 'NODE', pid: 'CONTAINER' } },
      },
    } as const;
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: 'main', attempt: 0 },
        image: { image: SHELL_IMAGE },
        args: ['exit 7'],
        logPath: 'main/0.log',
        linux: { resources: { oomScoreAdj: 500 } },
      },
    });
    await runtime.startContainer({ containerId });
    await expect
      .poll(async () => (await runtime.containerStatus({ containerId })).status, { timeout: 20_000 })
      .toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 7, reason: 'Error' });
    const { status } = await runtime.containerStatus({ containerId });
    expect(status?.image?.image).toBe(SHELL_IMAGE);
  });

  it('is told that something is not there', async () => {
    const asked = containerd.client.runtime.containerStatus({ containerId: 'nobody' });
    await expect(asked).rejects.toSatisfy(isNotFound);
  });

  it('says that nobody listens', async () => {
    const endpoint = 'unix:///nowhere/c.sock';
    const client = await createCriClient({ endpoint, timeoutMs: 5_000 });
    await expect(client.runtime.version({})).rejects.toMatchObject({ code: 'Unavailable' });
    client.close();
  });
});
