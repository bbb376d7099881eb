/** Images of a real containerd, and a registry on loopback that asks for credentials. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCriImages } from '../../../../agent/adapters/cri/image-service.ts';
import { createImageCollector } from '../../../../agent/images/image-collector.ts';
import { createImageManager, type WantedImage } from '../../../../agent/images/image-manager.ts';
import type { ImageService } from '../../../../agent/ports/machine/image-service.ts';
import type { PullSecret } from '../../../../agent/rules/images/credentials.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type Containerd, SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';
import { type Registry, type RegistryAuth, startRegistry } from '../../../support/cri/registry.ts';

const missing = missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 60_000;
const clock = { uptime: () => performance.now() };

const secretFor = (host: string, password: string): PullSecret => {
  const auth = Buffer.from(`user:${password}`).toString('base64');
  const file = JSON.stringify({ auths: { [host]: { auth } } });
  return {
    metadata: { name: 'mine' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(file).toString('base64') },
  };
};

describe.skipIf(missing !== undefined)(`images of containerd${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let images: ImageService;
  let registry: Registry | undefined;

  beforeAll(async () => {
    containerd = await startContainerd();
    images = createCriImages(containerd.client);
  }, 120_000);
  afterAll(() => containerd?.close());
  afterEach(async () => {
    await registry?.close();
    registry = undefined;
  });

  const start = async (auth: RegistryAuth = 'none'): Promise<Registry> => {
    registry = await startRegistry({ auth });
    return registry;
  };

  const world = () => {
    const manager = createImageManager({ images, clock, rate: { perSecond: 0, burst: 0 } });
    const events: string[] = [];
    const ensure = (image: string, wanted: Partial<WantedImage> = {}) =>
      manager.ensure({
        pod: { namespace: 'default', name: 'web', uid: 'u' },
        image,
        policy: 'IfNotPresent',
        secrets: [],
        signal: new AbortController().signal,
        tell: ({ reason, message }) => void events.push(`${reason}: ${message}`),
        ...wanted,
      });
    return { manager, events, ensure };
  };

  it('are pulled once, and listed with their digest, size and user', async () => {
    const { add, requests } = await start();
    const name = add('team/app:1', { user: '1000', entrypoint: ['/bin/sh'] });
    const { ensure, events } = world();
    const ensured = await ensure(name);
    expect(ensured).toMatchObject({
      image: {
        id: expect.stringMatching(/^sha256:/),
        repoTags: [name],
        isPinned: false,
        user: { uid: 1000 },
      },
    });
    expect(events[0]).toBe(`Pulling: Pulling image "${name}"`);
    expect(events[1]).toMatch(
      /^Pulled: Successfully pulled image .* including waiting\)\. Image size: \d+ bytes\.$/,
    );
    const asked = requests.length;
    expect(await ensure(name)).toEqual(ensured);
    expect(requests).toHaveLength(asked);
    expect(events.at(-1)).toBe(`Pulled: Container image "${name}" already present on machine`);
    const listed = await images.list();
    expect(listed.filter(({ repoTags }) => repoTags.includes(name))).toHaveLength(1);
  });

  it.each<RegistryAuth>(['basic', 'token'])('are pulled with the Secret of the pod: %s', async (auth) => {
    const { add, host } = await start(auth);
    const name = add(`private/${auth}:1`, { files: { 'etc/which': auth } });
    const { ensure, events } = world();
    const secrets = [secretFor(host, 'wrong'), secretFor(`${host}/private`, 'secret')];
    expect(await ensure(name, { secrets })).toHaveProperty('image');
    expect(events.join('\n')).not.toContain('secret');
  });

  it.each<[string, readonly string[]]>([
    ['without credentials', []],
    ['with the wrong ones', ['wrong']],
  ])('are refused by a registry %s', async (_how, passwords) => {
    const { add, host } = await start('basic');
    const name = add('private/app:2');
    const { ensure, events } = world();
    const secrets = passwords.map((password) => secretFor(host, password));
    const ensured = await ensure(name, { secrets });
    expect(ensured).toMatchObject({
      fault: {
        reason: 'ErrImagePull',
        message: expect.stringMatching(/rpc error: code = \w+ desc = .*(401|authorization|no basic auth)/i),
      },
    });
    expect(await ensure(name, { secrets })).toMatchObject({
      fault: {
        reason: 'ImagePullBackOff',
        message: expect.stringContaining(`Back-off pulling image "${name}": ErrImagePull: rpc error`),
      },
    });
    expect(events.join('\n')).not.toContain('user:');
  });

  it('that do not exist are not found, nor those of a registry that is away', async () => {
    const { host, close } = await start();
    const { ensure } = world();
    expect(await ensure(`${host}/none:1`)).toMatchObject({
      fault: { reason: 'ErrImagePull', message: expect.stringContaining('code = NotFound') },
    });
    await close();
    registry = undefined;
    expect(await ensure(`${host}/none:2`)).toMatchObject({
      fault: { reason: 'ErrImagePull', message: expect.stringContaining('connection refused') },
    });
  });

  it('of a slow registry are given up with the pod, and can be pulled later', async () => {
    const slow = await start();
    const name = slow.add('slow/app:1', { files: { 'etc/slow': 'yes' } });
    slow.pause();
    const { ensure } = world();
    const deleted = new AbortController();
    const pull = ensure(name, { signal: deleted.signal }).then(
      () => 'there',
      () => 'given up',
    );
    await eventually('a blob is asked for', PATIENCE_MS, async () =>
      slow.requests.some((request) => request.includes('/blobs/')),
    );
    deleted.abort();
    expect(await pull).toBe('given up');
    slow.resume();
    expect(await ensure(name)).toHaveProperty('image');
  });

  it('that nobody uses are removed, and the others are not', async () => {
    const { add } = await start();
    const [unused, used] = [
      add('old/unused:1', { files: { 'etc/a': '1' } }),
      add('old/used:1', { files: { 'etc/a': '2' } }),
    ];
    const { ensure } = world();
    await ensure(unused);
    await ensure(used);
    const kept = new Set([used, SHELL_IMAGE]);
    const collector = createImageCollector({
      images: { ...images, used: async () => new Set([...kept, ...(await images.used())]) },
      policy: { highPercent: 85, lowPercent: 80, minAgeMs: 0, maxAgeMs: 0 },
      clock: { ...clock, sleep: async () => undefined },
      wanted: () => new Set(),
      disk: async () => ({ capacityBytes: 1, availableBytes: 1 }),
      tell: () => undefined,
      log: () => undefined,
    });
    await collector.removeUnused();
    expect(await images.status(unused)).toBeUndefined();
    expect(await images.status(used)).toBeDefined();
    expect(await images.status(SHELL_IMAGE)).toBeDefined();
    // Without it no pod could start where the registry is not reached.
    expect(await images.status('rollcall.test/pause:1')).toBeDefined();
    await images.remove('sha256:0000000000000000000000000000000000000000000000000000000000000000');
  });

  it('that are pulled while containerd is killed are pulled when it is back', async () => {
    const slow = await start();
    const name = slow.add('killed/app:1', { files: { 'etc/killed': 'yes' } });
    slow.pause();
    const pull = world().ensure(name);
    await eventually('a blob is asked for', PATIENCE_MS, async () =>
      slow.requests.some((request) => request.includes('/blobs/')),
    );
    await containerd.kill();
    expect(await pull).toMatchObject({
      fault: { reason: 'ErrImagePull', message: expect.stringContaining('code = Unavailable') },
    });
    expect(await world().ensure(name)).toMatchObject({
      fault: { reason: 'ImageInspectError', message: expect.stringContaining('code = Unavailable') },
    });
    slow.resume();
    await containerd.start();
    expect(await world().ensure(name)).toHaveProperty('image');
  });

  it('stand on a file system of the machine', async () => {
    expect(await images.fileSystems()).toMatchObject([
      { mountpoint: expect.stringContaining(containerd.folder), usedBytes: expect.any(Number) },
    ]);
  });
});
