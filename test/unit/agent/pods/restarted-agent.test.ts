import { describe, expect, it } from 'vitest';
import type { ProbeAnswer } from '../../../../agent/ports/machine/prober.ts';
import type { AgentPodStatus } from '../../../../agent/rules/containers/agent-pod.ts';
import { endedStatus } from '../../../../agent/rules/shutdown/ended-pod.ts';
import { createPodWorld, podOf } from '../../../support/agent/pods/pod-world.ts';

const SLOW = { exec: {}, periodSeconds: 5, timeoutSeconds: 5 };

const told = ({ conditions = [], containerStatuses = [] }: AgentPodStatus) => ({
  ready: conditions.find(({ type }) => type === 'Ready')?.status,
  started: containerStatuses[0]?.started,
});

const OLD = {
  name: 'c',
  image: 'host',
  imageID: '',
  ready: true,
  started: true,
  restartCount: 0,
  containerID: 'fake://of-another-time',
  state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
};

/** A pod whose probes take two seconds to answer; what the API is told of it after another agent has started. */
const afterRestart = async (probes: object, first: ProbeAnswer['kind'], then = first) => {
  let kind = first;
  const world = createPodWorld({
    probe: async () => {
      await world.clock.sleep(2_000);
      return { kind, output: '' };
    },
  });
  world.api.create(podOf('a', { containers: [{ name: 'c', ...probes }] }));
  world.startAgent();
  await world.seconds(40);
  world.kill();
  kind = then;
  const before = world.api.statuses('a').length;
  world.startAgent();
  await world.seconds(60);
  return {
    world,
    news: world.api.statuses('a').slice(before).map(told),
    last: told(world.status('a') ?? {}),
  };
};

describe('an agent that starts again', () => {
  it('never says of an unready container that it is ready', async () => {
    const { news, last } = await afterRestart({ readinessProbe: SLOW }, 'failure');
    expect(last).toEqual({ ready: 'False', started: true });
    expect(news.filter(({ ready }) => ready !== 'False')).toEqual([]);
  });

  it('never says of a ready container that it is not, until its probe does', async () => {
    const good = await afterRestart({ readinessProbe: SLOW }, 'success');
    expect(good.last).toEqual({ ready: 'True', started: true });
    expect(good.news.filter(({ ready }) => ready !== 'True')).toEqual([]);
    const bad = await afterRestart({ readinessProbe: SLOW }, 'success', 'failure');
    expect(bad.last).toEqual({ ready: 'False', started: true });
  });

  it('never says of a container that has not started that it has', async () => {
    const startupProbe = { ...SLOW, failureThreshold: 1_000 };
    const { news, last } = await afterRestart({ startupProbe }, 'failure');
    expect(last).toEqual({ ready: 'False', started: false });
    expect(news.filter(({ started, ready }) => started || ready !== 'False')).toEqual([]);
  });

  it('asks a container that has started no more whether it has', async () => {
    const startupProbe = { ...SLOW, failureThreshold: 1 };
    const { world, news, last } = await afterRestart({ startupProbe }, 'success', 'failure');
    expect(last).toEqual({ ready: 'True', started: true });
    expect(news.filter(({ started, ready }) => !started || ready !== 'True')).toEqual([]);
    expect(world.runtime.starts).toEqual(['a/c #0']);
  });

  it('says of a container that was started anew meanwhile what its own probes say', async () => {
    const world = createPodWorld({ probe: () => ({ kind: 'failure', output: '' }) });
    const pod = podOf('a', { containers: [{ name: 'c', readinessProbe: SLOW }] });
    world.api.create({ ...pod, status: { phase: 'Running', containerStatuses: [{ ...OLD }] } });
    world.startAgent();
    await world.seconds(60);
    const news = world.api.statuses('a').slice(1).map(told);
    expect(news.filter(({ ready }) => ready !== 'False')).toEqual([]);
  });

  it('does not call a container ready or started because it is being ended', async () => {
    const startupProbe = { ...SLOW, failureThreshold: 1_000 };
    const { world } = await afterRestart({ startupProbe }, 'failure');
    world.runtime.onStop = () => ({ ms: 10_000, exitCode: 0 });
    const before = world.api.statuses('a').length;
    world.api.markDeleted('a');
    await world.seconds(60);
    const news = world.api.statuses('a').slice(before).map(told);
    expect(news.filter(({ started, ready }) => started || ready === 'True')).toEqual([]);
  });
});

describe('an agent that starts after a shutdown of the machine', () => {
  it.each<[string, AgentPodStatus]>([
    ['ran', { phase: 'Running', containerStatuses: [OLD] }],
    ['had not begun', { phase: 'Pending' }],
  ])('tells that a pod has ended that %s, and does not run it again', async (_, status) => {
    const world = createPodWorld();
    const pod = { ...podOf('a'), status };
    world.api.create(pod);
    world.endings.set('a', { status: (before) => endedStatus(pod, before, Date.UTC(2026, 0, 1)) });
    world.startAgent();
    await world.seconds(30);
    expect(world.runtime.starts).toEqual([]);
    expect(world.status('a')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
    expect(world.status('a')?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
    );
  });

  it('says of a pod whose containers have all ended well that it has succeeded', async () => {
    const world = createPodWorld();
    world.api.create(podOf('a'));
    world.startAgent();
    await world.seconds(5);
    world.kill();
    world.runtime.exit('a', 'c', 0);
    world.endings.set('a', { status: (before) => endedStatus(podOf('a'), before, 0) });
    world.startAgent();
    await world.seconds(30);
    expect(world.runtime.starts).toEqual(['a/c #0']);
    expect(world.status('a')).toMatchObject({ phase: 'Succeeded', reason: 'Terminated' });
  });
});
