import { describe, expect, it } from 'vitest';
import {
  createImageManager,
  type EnsuredImage,
  type ImageManagerOptions,
  type WantedImage,
} from '../../../../agent/images/image-manager.ts';
import type { PullSecret } from '../../../../agent/rules/images/credentials.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createFakeImages, storedImage } from '../../../support/agent/pods/fake-images.ts';

const secret = (username: string): PullSecret => ({
  metadata: { name: username },
  type: 'kubernetes.io/dockerconfigjson',
  data: {
    '.dockerconfigjson': Buffer.from(
      JSON.stringify({ auths: { 'reg.io': { username, password: 'hunter2' } } }),
    ).toString('base64'),
  },
});

const createWorld = (options: Partial<ImageManagerOptions> = {}) => {
  const virtual = createVirtualClock(0);
  const clock = { uptime: virtual.now, sleep: virtual.sleep };
  const images = createFakeImages(clock);
  const manager = createImageManager({ images, clock, rate: { perSecond: 0, burst: 0 }, ...options });
  const events: string[] = [];
  const ensure = async (image: string, wanted: Partial<WantedImage> = {}): Promise<string> => {
    const ensured = await manager.ensure({
      pod: { namespace: 'default', name: 'p', uid: 'u' },
      image,
      policy: 'IfNotPresent',
      secrets: [],
      signal: new AbortController().signal,
      tell: ({ type, reason, message }) => void events.push(`${type} ${reason}: ${message}`),
      ...wanted,
    });
    return textOf(ensured);
  };
  const textOf = (ensured: EnsuredImage): string =>
    'image' in ensured ? ensured.image.id : `${ensured.fault.reason}: ${ensured.fault.message}`;
  return { virtual, images, manager, events, ensure, run: virtual.run };
};

describe('an image that is to be there', () => {
  it('J-173: is pulled if it is not, and only then', async () => {
    const { images, ensure, events, run } = createWorld();
    images.registry = () => ({ ms: 1500 });
    expect(await run(ensure('nginx'))).toBe('sha256:nginx:latest');
    expect(await run(ensure('nginx'))).toBe('sha256:nginx:latest');
    expect(images.pulls).toEqual(['nginx:latest']);
    expect(events).toEqual([
      'Normal Pulling: Pulling image "nginx"',
      'Normal Pulled: Successfully pulled image "nginx" in 1.5s (1.5s including waiting). Image size: 100 bytes.',
      'Normal Pulled: Container image "nginx" already present on machine',
    ]);
  });

  it('J-173: is pulled each time with the policy Always, and never with Never', async () => {
    const { images, ensure, events, run } = createWorld();
    images.stored.set('app:v1', storedImage('app:v1'));
    await run(ensure('app:v1', { policy: 'Always' }));
    expect(images.pulls).toEqual(['app:v1']);
    expect(await run(ensure('app:v1', { policy: 'Never' }))).toBe('sha256:app:v1');
    expect(await run(ensure('app:v2', { policy: 'Never' }))).toBe(
      'ErrImageNeverPull: Container image "app:v2" is not present with pull policy of Never',
    );
    expect(events.at(-1)).toBe(
      'Warning ErrImageNeverPull: Container image "app:v2" is not present with pull policy of Never',
    );
  });

  it('J-170: needs a name', async () => {
    const { images, ensure, events, run } = createWorld();
    const message =
      'Failed to apply default image tag "Nginx:": couldn\'t parse image reference "Nginx:": invalid reference format: repository name (library/Nginx) must be lowercase';
    expect(await run(ensure('Nginx:'))).toBe(`InvalidImageName: ${message}`);
    expect(events).toEqual([`Warning InspectFailed: ${message}`]);
    expect(images.pulls).toEqual([]);
  });

  it('the runtime may not answer', async () => {
    const { images, ensure, run } = createWorld();
    images.statusFault = 'it is away';
    expect(await run(ensure('app:v1'))).toBe(
      'ImageInspectError: Failed to inspect image "app:v1": it is away',
    );
  });

  it('J-174: waits longer after each failure, and says how the last one ended', async () => {
    const { manager, images, ensure, events, run, virtual } = createWorld();
    images.registry = () => ({ ms: 0, error: 'not found' });
    expect(manager.isFailing()).toBe(false);
    expect(await run(ensure('app:v1'))).toBe('ErrImagePull: not found');
    expect(manager.isFailing()).toBe(true);
    expect(await run(ensure('app:v1'))).toBe(
      'ImagePullBackOff: Back-off pulling image "app:v1": ErrImagePull: not found',
    );
    expect(events).toEqual([
      'Normal Pulling: Pulling image "app:v1"',
      'Warning Failed: Failed to pull image "app:v1": not found',
      'Normal BackOff: Back-off pulling image "app:v1"',
    ]);
    await virtual.run(virtual.sleep(9999));
    expect(await run(ensure('app:v1'))).toContain('ImagePullBackOff');
    await virtual.run(virtual.sleep(1));
    expect(await run(ensure('app:v1'))).toBe('ErrImagePull: not found');
    await virtual.run(virtual.sleep(19_999));
    expect(await run(ensure('app:v1'))).toContain('ImagePullBackOff');
    images.registry = () => ({ ms: 0 });
    await virtual.run(virtual.sleep(1));
    expect(await run(ensure('app:v1'))).toBe('sha256:app:v1');
    expect(images.pulls).toHaveLength(3);
    await virtual.run(virtual.sleep(600_001));
    expect(manager.isFailing()).toBe(false);
  });

  it('J-174: the back-off is that of one pod and one image', async () => {
    const { images, ensure, run } = createWorld();
    images.registry = ({ image }) => ({ ms: 0, ...(image === 'app:v1' && { error: 'not found' }) });
    await run(ensure('app:v1'));
    expect(await run(ensure('app:v2'))).toBe('sha256:app:v2');
    const other = { namespace: 'default', name: 'q', uid: 'v' };
    expect(await run(ensure('app:v1', { pod: other }))).toBe('ErrImagePull: not found');
  });

  it('J-172: tries all credentials until one is taken, and tells none', async () => {
    const { images, ensure, events, run } = createWorld();
    images.registry = ({ credentials }) => ({
      ms: 0,
      ...(credentials?.username === 'good' ? {} : { error: 'unauthorized' }),
    });
    const secrets = [secret('bad'), secret('good'), secret('unused')];
    expect(await run(ensure('reg.io/app:v1', { secrets }))).toBe('sha256:reg.io/app:v1');
    expect(images.pulls).toEqual(['reg.io/app:v1 bad', 'reg.io/app:v1 good']);
    expect(await run(ensure('reg.io/app:v2', { secrets: [secret('bad'), secret('worse')] }))).toBe(
      'ErrImagePull: unauthorized',
    );
    expect(events.join('\n')).not.toContain('hunter2');
  });

  it('J-171: a Secret that cannot be read fails the pull', async () => {
    const { images, ensure, run } = createWorld();
    const broken = { ...secret('x'), data: { '.dockerconfigjson': 'aHVudGVyMg==' } };
    expect(await run(ensure('app:v1', { secrets: [broken] }))).toBe(
      'ErrImagePull: the image pull secret "x" has no credentials that can be read in its key ".dockerconfigjson"',
    );
    expect(images.pulls).toEqual([]);
  });

  it.each([
    [1, 1],
    [2, 2],
    [undefined, 4],
  ])('J-175: at most %s at the same time', async (mostPulls, expected) => {
    const { images, ensure, events, run } = createWorld(mostPulls === undefined ? {} : { mostPulls });
    images.registry = () => ({ ms: 1000 });
    await run(Promise.all(['a:1', 'b:1', 'c:1', 'd:1'].map((name) => ensure(name))));
    expect(images.mostRunning).toBe(expected);
    if (mostPulls === 1) expect(events.at(-1)).toContain('in 1s (4s including waiting)');
  });

  it('J-175: more than the rate allows fail', async () => {
    const { ensure, run } = createWorld({ rate: { perSecond: 1, burst: 1 } });
    await run(ensure('a:1'));
    expect(await run(ensure('b:1'))).toBe('ErrImagePull: pull QPS exceeded');
  });

  it('a pull, and the wait for one, end with the pod', async () => {
    const { images, ensure, run, virtual } = createWorld({ mostPulls: 1 });
    images.registry = () => ({ ms: 3_600_000 });
    const [first, second] = [new AbortController(), new AbortController()];
    const pulls = [ensure('a:1', { signal: first.signal }), ensure('b:1', { signal: second.signal })];
    const ends = Promise.all(
      pulls.map((pull) =>
        pull.then(
          () => 'there',
          () => 'given up',
        ),
      ),
    );
    await virtual.run(virtual.sleep(10));
    second.abort();
    first.abort();
    expect(await run(ends)).toEqual(['given up', 'given up']);
    expect(images.pulls).toEqual(['a:1']);
    images.registry = () => ({ ms: 0 });
    expect(await run(ensure('a:1'))).toBe('sha256:a:1');
  });

  it('J-177: is kept for the container that is about to start', async () => {
    const { manager, ensure, run, virtual } = createWorld();
    await run(ensure('a:1'));
    expect([...manager.wanted()]).toEqual(['sha256:a:1']);
    await virtual.run(virtual.sleep(120_001));
    expect([...manager.wanted()]).toEqual([]);
  });
});
