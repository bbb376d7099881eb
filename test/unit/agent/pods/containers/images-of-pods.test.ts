/** Pods whose runtime has images, in virtual time. */
import { describe, expect, it } from 'vitest';
import { createPodWorld, podOf } from '../../../../support/agent/pods/pod-world.ts';

const podWith = (name: string, image: string, spec: object = {}) =>
  podOf(name, { ...spec, containers: [{ name: 'c', image, imagePullPolicy: 'IfNotPresent' }] });

const stateOf = (world: ReturnType<typeof createPodWorld>, name: string) =>
  world.status(name)?.containerStatuses?.[0]?.state;

describe('a pod whose image is not there', () => {
  it('J-173: starts with the image that was pulled', async () => {
    const world = createPodWorld({ hasImages: true });
    world.images.registry = () => ({ ms: 3000 });
    world.api.create(podWith('web', 'nginx'));
    world.startAgent();
    await world.seconds(2);
    expect(stateOf(world, 'web')).toMatchObject({ waiting: { reason: 'ContainerCreating' } });
    await world.seconds(3);
    expect(stateOf(world, 'web')).toHaveProperty('running');
    expect(world.runtime.specs).toMatchObject([{ image: 'nginx', imageReference: 'sha256:nginx:latest' }]);
    expect(world.events.map((text) => text.replace(/^[\d.]+ /, ''))).toEqual([
      'web/c Pulling: Pulling image "nginx"',
      'web/c Pulled: Successfully pulled image "nginx" in 3s (3s including waiting). Image size: 100 bytes.',
      'web/c Created: Created container: c',
      'web/c Started: Started container c',
    ]);
  });

  it('J-174: says how the pull failed, waits longer each time, and starts when the registry is back', async () => {
    const world = createPodWorld({ hasImages: true });
    world.images.registry = () => ({ ms: 0, error: 'not found' });
    world.api.create(podWith('web', 'app:v1'));
    world.startAgent();
    await world.seconds(1);
    expect(stateOf(world, 'web')).toEqual({
      waiting: {
        reason: 'ImagePullBackOff',
        message: 'Back-off pulling image "app:v1": ErrImagePull: not found',
      },
    });
    await world.seconds(100);
    const begun = world.events.filter((text) => text.includes(' Pulling: ')).map(Number.parseFloat);
    const pauses = begun.slice(1).map((at, index) => Math.round(at - (begun[index] ?? 0)));
    expect(pauses).toEqual([10, 20, 40]);
    const told = (text: string) => world.events.filter((event) => event.endsWith(text)).length;
    expect(told('Failed: Error: ErrImagePull')).toBe(4);
    expect(told('Failed: Error: ImagePullBackOff')).toBe(4);
    world.images.registry = () => ({ ms: 0 });
    await world.seconds(60);
    expect(stateOf(world, 'web')).toHaveProperty('running');
  });

  it('J-175: a pod that is deleted does not wait for its pull', async () => {
    const world = createPodWorld({ hasImages: true });
    world.images.registry = () => ({ ms: 3_600_000 });
    world.api.create(podWith('web', 'app:v1'));
    world.startAgent();
    await world.seconds(5);
    expect(world.images.running).toBe(1);
    world.api.markDeleted('web');
    await world.seconds(40);
    expect([world.images.running, world.status('web')]).toEqual([0, undefined]);
  });

  it('J-175: an agent that stops ends its pulls', async () => {
    const world = createPodWorld({ hasImages: true });
    world.images.registry = () => ({ ms: 3_600_000 });
    world.api.create(podWith('web', 'app:v1'));
    world.startAgent();
    await world.seconds(5);
    world.kill();
    await world.seconds(1);
    expect(world.images.running).toBe(0);
  });

  it('J-171: an event names Secrets that are missing', async () => {
    const world = createPodWorld({ hasImages: true });
    world.api.create(podWith('web', 'app:v1', { imagePullSecrets: [{ name: 'mine' }, {}] }));
    world.startAgent();
    await world.seconds(1);
    expect(world.events.join('\n')).toContain(
      'web FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (mine); attempting to pull the image may not succeed.',
    );
    expect(stateOf(world, 'web')).toHaveProperty('running');
  });
});

describe('J-176: the RuntimeClass of a pod', () => {
  it('is given to the runtime by its handler', async () => {
    const world = createPodWorld({ hasImages: true });
    world.classes.set('gvisor', 'runsc');
    world.api.create(podWith('web', 'app:v1', { runtimeClassName: 'gvisor' }));
    world.startAgent();
    await world.seconds(1);
    expect(world.runtime.sandboxes).toMatchObject([{ runtimeHandler: 'runsc' }]);
  });

  it('that is gone keeps the sandbox from being made', async () => {
    const world = createPodWorld({ hasImages: true });
    world.api.create(podWith('web', 'app:v1', { runtimeClassName: 'gvisor' }));
    world.startAgent();
    await world.seconds(1);
    expect(world.runtime.sandboxes).toEqual([]);
    expect(world.events.join('\n')).toContain(
      'FailedCreatePodSandBox: Failed to create pod sandbox: runtimeclass.node.k8s.io "gvisor" not found',
    );
  });
});
