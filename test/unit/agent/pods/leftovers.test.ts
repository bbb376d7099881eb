/** What pods leave behind in an agent that lives for months. */
import { expect, it } from 'vitest';
import { createPodWorld, podOf } from '../../../support/agent/pods/pod-world.ts';

const probe = { periodSeconds: 10, httpGet: { port: 80 } };

const probedPod = (index: number) => {
  const preStop = { exec: { command: ['bye'] } };
  const container = { name: 'c', image: 'host', command: ['run'], lifecycle: { preStop } };
  return podOf(`p${index}`, {
    containers: [{ ...container, readinessProbe: probe, livenessProbe: probe, startupProbe: probe }],
  });
};

/** Pods come, restart, and go. */
const churn = async (world: ReturnType<typeof createPodWorld>, from: number, count: number) => {
  const names = Array.from({ length: count }, (_, index) => `p${from + index}`);
  for (const [index, name] of names.entries()) {
    world.api.create(probedPod(from + index));
    await world.seconds(1);
    if (index % 3 === 0) world.runtime.exit(name, 'c', 1);
  }
  await world.seconds(15);
  for (const name of names) {
    world.api.markDeleted(name, 5);
    await world.seconds(1);
  }
  // Longer than any pause between two looks.
  await world.seconds(120);
};

it('nothing is left of pods that came and went: no timer, no listener, no container, no volume', async () => {
  const world = createPodWorld();
  world.startAgent();
  await world.seconds(120);
  const atRest = world.waits();
  await churn(world, 0, 20);
  expect(world.runtime.starts.length).toBeGreaterThan(20);
  expect(world.api.all()).toEqual([]);
  expect([world.runtime.running(), [...world.volumesOf]]).toEqual([[], []]);
  expect(world.waits()).toEqual(atRest);
});

it('a pod that runs has one timer for itself and one for each probe, however often it was woken', async () => {
  const world = createPodWorld();
  world.startAgent();
  await world.seconds(120);
  const atRest = world.waits();
  world.api.create(podOf('p', { containers: [{ name: 'c', image: 'host', readinessProbe: probe }] }));
  await world.seconds(2);
  for (let times = 0; times < 50; times += 1) {
    world.pods().setWanted('api', world.api.all());
    await world.seconds(1);
  }
  expect(world.waits()).toEqual({ timers: atRest.timers + 2, listeners: atRest.listeners + 1 });
});
