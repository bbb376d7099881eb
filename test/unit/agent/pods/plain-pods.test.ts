/** Pods of a runtime that isolates nothing, in virtual time. */
import { describe, expect, it } from 'vitest';
import type { PlainMode } from '../../../../agent/ports/machine/runtime.ts';
import { createPodWorld, podOf } from '../../../support/agent/pods/pod-world.ts';

const plain: PlainMode = {
  warning: 'pods are not isolated',
  refusal: ({ spec }) => (spec['volumes'] ? 'spec.volumes: v is not supported' : undefined),
};

const startWorld = () => {
  const world = createPodWorld();
  Object.assign(world.runtime, { isolation: 'none', plain });
  return world;
};

const told = (world: ReturnType<typeof createPodWorld>): number =>
  world.events.filter((text) => text.includes('NotIsolated: pods are not isolated')).length;

describe('a pod without isolation', () => {
  it('is warned of once, also when its containers or its agent are started again', async () => {
    const world = startWorld();
    world.api.create(podOf('web'));
    world.startAgent();
    await world.seconds(2);
    expect(told(world)).toBe(1);
    world.runtime.exit('web', 'c', 1);
    await world.seconds(30);
    world.kill();
    world.runtime.reboot();
    world.startAgent();
    await world.seconds(30);
    expect(world.runtime.starts.length).toBeGreaterThan(2);
    expect(told(world)).toBe(1);
  });

  it('is not started with a field that its runtime refuses', async () => {
    const world = startWorld();
    world.api.create(podOf('web', { volumes: [{ name: 'v' }] }));
    world.startAgent();
    await world.seconds(2);
    expect(world.runtime.starts).toEqual([]);
    expect(world.status('web')?.containerStatuses?.[0]?.state?.waiting).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: 'spec.volumes: v is not supported',
    });
  });

  it('may say runAsNonRoot without a user: it has that of the agent', async () => {
    const world = startWorld();
    world.api.create(podOf('web', { securityContext: { runAsNonRoot: true } }));
    world.startAgent();
    await world.seconds(2);
    expect(world.runtime.starts).toHaveLength(1);
  });
});
