import { describe, expect, it } from 'vitest';
import type { Hooks } from '../../../../agent/pods/worker/worker-deps.ts';
import { createPodWorld, podOf } from '../../../support/agent/pods/pod-world.ts';

const conditionsOf = (status: { readonly conditions?: readonly { type: string; status: string }[] } = {}) =>
  Object.fromEntries((status.conditions ?? []).map(({ type, status: value }) => [type, value]));

const withPods = async (
  options: Parameters<typeof createPodWorld>[0],
  pods: readonly ReturnType<typeof podOf>[],
) => {
  const world = createPodWorld(options);
  for (const pod of pods) world.api.create(pod);
  world.startAgent();
  await world.seconds(2);
  return world;
};

describe('pods that should run', () => {
  it('start, and say so', async () => {
    const { runtime, status, events } = await withPods({}, [podOf('a')]);
    expect(runtime.starts).toEqual(['a/c #0']);
    expect(status('a')).toMatchObject({
      phase: 'Running',
      hostIP: '10.0.0.7',
      podIP: '10.0.0.7',
      qosClass: 'BestEffort',
      containerStatuses: [{ name: 'c', ready: true, started: true, containerID: 'fake://1' }],
    });
    expect(conditionsOf(status('a'))).toEqual({
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
    });
    expect(events).toEqual([
      '0.02 a/c Created: Created container: c',
      '0.02 a/c Started: Started container c',
    ]);
  });

  it('start their init containers one after the other, then sidecars, then the rest', async () => {
    const initContainers = [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }];
    const { runtime, seconds, status } = await withPods({}, [podOf('a', { initContainers })]);
    expect(runtime.starts).toEqual(['a/i #0']);
    expect(status('a')?.phase).toBe('Pending');
    runtime.exit('a', 'i', 0);
    await seconds(1);
    expect(runtime.starts).toEqual(['a/i #0', 'a/s #0', 'a/c #0']);
    expect(status('a')?.phase).toBe('Running');
  });

  it('restart with a back-off that grows', async () => {
    const { runtime, seconds, status, events } = await withPods({}, [podOf('a')]);
    for (const wait of [1, 11, 21]) {
      runtime.exit('a', 'c', 1);
      await seconds(wait);
    }
    expect(runtime.starts).toEqual(['a/c #0', 'a/c #1', 'a/c #2', 'a/c #3']);
    expect(events.filter((text) => text.includes('BackOff'))).toEqual([
      '3 a/c BackOff: Back-off restarting failed container c in pod a_default(uid-a)',
      '14 a/c BackOff: Back-off restarting failed container c in pod a_default(uid-a)',
    ]);
    runtime.exit('a', 'c', 1);
    await seconds(1);
    expect(status('a')?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: 'back-off 40s restarting failed container=c pod=a_default(uid-a)',
    });
  });

  it('succeed or fail when their containers have ended for good', async () => {
    const { runtime, seconds, status, api } = await withPods({}, [
      podOf('good', { restartPolicy: 'Never' }),
      podOf('bad', { restartPolicy: 'Never' }),
    ]);
    runtime.exit('good', 'c', 0);
    runtime.exit('bad', 'c', 3);
    await seconds(2);
    expect([status('good')?.phase, status('bad')?.phase]).toEqual(['Succeeded', 'Failed']);
    expect(status('bad')?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    expect(api.pod('bad')).toBeDefined();
  });

  it('end when they have run for too long', async () => {
    const { seconds, status, runtime, events } = await withPods({}, [
      podOf('a', { activeDeadlineSeconds: 20 }),
    ]);
    await seconds(30);
    expect(runtime.running()).toEqual([]);
    expect(status('a')).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(events).toContain(
      '20 a DeadlineExceeded: Pod was active on the node longer than the specified deadline',
    );
  });

  it('restart what is not alive, and are not ready before they say so', async () => {
    let answer: 'success' | 'failure' = 'failure';
    const probes = {
      livenessProbe: { periodSeconds: 5, failureThreshold: 2, exec: {} },
      readinessProbe: { periodSeconds: 5, exec: {} },
    };
    const { seconds, runtime, status, events } = await withPods(
      { probe: () => ({ kind: answer, output: 'no' }) },
      [podOf('a', { containers: [{ name: 'c', ...probes }] })],
    );
    expect(conditionsOf(status('a'))['Ready']).toBe('False');
    await seconds(9);
    expect(runtime.starts).toEqual(['a/c #0', 'a/c #1']);
    expect(events.some((text) => text.includes('Container c failed liveness probe, will be restarted'))).toBe(
      true,
    );
    answer = 'success';
    await seconds(12);
    expect(conditionsOf(status('a'))['Ready']).toBe('True');
  });
});

describe('pods that end', () => {
  it('get their grace period, and go when their containers and volumes are gone', async () => {
    const { runtime, seconds, api, status, volumesOf } = await withPods({}, [podOf('a')]);
    runtime.onStop = () => ({ ms: 5000, exitCode: 0 });
    api.markDeleted('a');
    await seconds(3);
    expect(status('a')?.phase).toBe('Running');
    expect(volumesOf.size).toBe(1);
    await seconds(4);
    expect(api.pod('a')).toBeUndefined();
    expect(api.phases('a')).toEqual(['Pending', 'Running', 'Succeeded']);
    expect([...volumesOf]).toEqual([]);
    expect(await runtime.pods()).toEqual([]);
  });

  it('are killed when they take too long, sooner if someone is in a hurry', async () => {
    const { runtime, seconds, api } = await withPods({}, [podOf('a')]);
    runtime.onStop = () => ({ ms: 1e9, exitCode: 0 });
    api.markDeleted('a', 60);
    await seconds(10);
    api.markDeleted('a', 5);
    await seconds(7);
    expect(api.pod('a')).toBeUndefined();
    expect(api.phases('a').at(-1)).toBe('Failed');
  });

  it('end what is gone from the API, but only when both sources have told', async () => {
    const { runtime, seconds, api } = await withPods({}, [podOf('a'), podOf('b')]);
    api.remove('a');
    await seconds(3);
    expect(runtime.running()).toEqual(['b/c']);
    expect((await runtime.pods()).map(({ pod }) => pod.name)).toEqual(['b']);
  });

  it('go at once if they never ran', async () => {
    const world = createPodWorld();
    world.api.create(podOf('a'));
    world.api.markDeleted('a');
    world.startAgent();
    await world.seconds(2);
    expect(world.runtime.starts).toEqual([]);
    expect(world.api.pod('a')).toBeUndefined();
  });

  it('run the hook before the signal, and tell when it fails', async () => {
    const hooks = { preStop: async () => await Promise.reject(new Error('secret')) };
    const lifecycle = { preStop: { exec: {} } };
    const { seconds, api, events } = await withPods({ hooks }, [
      podOf('a', { containers: [{ name: 'c', lifecycle }] }),
    ]);
    api.markDeleted('a');
    await seconds(3);
    expect(events.slice(2)).toEqual([
      '2.1 a/c Killing: Stopping container c',
      '2.1 a/c FailedPreStopHook: PreStopHook failed',
    ]);
    expect(api.pod('a')).toBeUndefined();
  });

  it('are ended by others with their status', async () => {
    const { pods, seconds, status, runtime } = await withPods({}, [podOf('a')]);
    runtime.onStop = () => ({ ms: 1000, exitCode: 143 });
    const { onNode } = pods();
    const [pod] = onNode.active();
    if (!pod) throw new Error('no pod');
    expect(onNode.measurable()).toEqual([
      {
        podRef: { namespace: 'default', name: 'a', uid: 'uid-a' },
        startedAt: expect.any(Number),
        cgroup: '/uid-a',
        containers: [],
        volumes: [],
      },
    ]);
    let isEnded = false;
    const ended = onNode.end(pod, {
      isEvicted: true,
      graceSeconds: 1,
      status: (before) => ({ ...before, phase: 'Failed', reason: 'Evicted', message: 'too much' }),
    });
    void ended.then(() => {
      isEnded = true;
    });
    expect(onNode.isCleanedUp(pod)).toBe(false);
    await seconds(3);
    expect(isEnded).toBe(true);
    await onNode.unmounted([pod], AbortSignal.abort(new Error('late')));
    expect(onNode.active()).toEqual([]);
    expect(status('a')).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'too much' });
  });
});

describe('pods that cannot run', () => {
  it('are refused with their reason, and leave when they are deleted', async () => {
    const { status, events, api, seconds } = await withPods({ admission: { pressure: ['DiskPressure'] } }, [
      podOf('a'),
    ]);
    expect(status('a')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [DiskPressure]. ',
    });
    expect(events).toEqual(['0 a Evicted: The node had condition: [DiskPressure]. ']);
    api.markDeleted('a');
    await seconds(2);
    expect(api.pod('a')).toBeUndefined();
  });

  it('make room for a critical one', async () => {
    const cpu = (name: string, spec: object) =>
      podOf(name, { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }], ...spec });
    const { api, seconds, status, runtime } = await withPods({}, [cpu('a', {})]);
    runtime.onStop = () => ({ ms: 0, exitCode: 143 });
    api.create(cpu('b', { priority: 2_000_000_000 }));
    await seconds(5);
    expect(status('a')).toMatchObject({ phase: 'Failed', reason: 'Preempting' });
    expect(runtime.running()).toEqual(['b/c']);
  });

  it('wait for their volumes', async () => {
    const world = createPodWorld();
    world.volumeFaults.set('a', { volume: 'v', message: 'configmap "x" not found', isThere: false });
    world.api.create(podOf('a'));
    world.startAgent();
    await world.seconds(25);
    expect(world.runtime.starts).toEqual([]);
    expect(world.events).toEqual([
      '0 a FailedMount: MountVolume.SetUp failed for volume "v" : configmap "x" not found',
    ]);
    world.volumeFaults.clear();
    await world.seconds(11);
    expect(world.runtime.starts).toEqual(['a/c #0']);
  });

  it('tell what their containers lack, and start when it is there', async () => {
    const env = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } }];
    const world = await withPods({}, [podOf('a', { containers: [{ name: 'c', env }] })]);
    expect(world.status('a')?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'configmap "m" not found',
    });
    world.configMaps.set('m', { data: { k: 'v' } });
    await world.seconds(11);
    expect(world.runtime.specs[0]?.environment).toEqual({ X: 'v' });
  });
});

describe('a node that is short of disk', () => {
  it('loses what is kept of pods that have ended, and keeps their statuses', async () => {
    const { runtime, seconds, pods, status, kill, startAgent } = await withPods({}, [
      podOf('a', { restartPolicy: 'Never' }),
      podOf('b'),
    ]);
    runtime.exit('a', 'c', 3);
    await seconds(2);
    const names = async () => (await runtime.pods()).map(({ pod }) => pod.name);
    expect(await names()).toEqual(['a', 'b']);
    await pods().reclaim('imageGC');
    expect(await names()).toEqual(['a', 'b']);
    await pods().reclaim('containerGC');
    expect(await names()).toEqual(['b']);
    kill();
    startAgent();
    await seconds(15);
    expect(runtime.starts).toEqual(['a/c #0', 'b/c #0']);
    expect(status('a')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3 } } }],
    });
  });
});

describe('a pod that meets faults', () => {
  it('tells why it has no sandbox, and tries again', async () => {
    const world = createPodWorld();
    world.runtime.sandboxFault = () => new Error('no room');
    world.api.create(podOf('a'));
    world.startAgent();
    await world.seconds(5);
    expect(world.events).toEqual(['0 a FailedCreatePodSandBox: Failed to create pod sandbox: no room']);
    world.runtime.sandboxFault = () => undefined;
    await world.seconds(10);
    expect(world.runtime.running()).toEqual(['a/c']);
  });

  it('ends a container whose hook fails, and starts it again as one that has ended', async () => {
    const hooks = { postStart: async () => await Promise.reject(new Error('hook: no')) };
    const lifecycle = { postStart: { exec: {} } };
    const { runtime, events, seconds } = await withPods({ hooks }, [
      podOf('a', { containers: [{ name: 'c', image: 'host', lifecycle }] }),
    ]);
    expect(runtime.running()).toEqual([]);
    expect(events.slice(2, 4)).toEqual([
      '0.02 a/c FailedPostStartHook: PostStartHook failed',
      '0.02 a/c Killing: FailedPostStartHook',
    ]);
    expect(runtime.starts).toEqual(['a/c #0', 'a/c #1']);
    await seconds(11);
    expect(runtime.starts).toHaveLength(3);
  });

  it('is told by the reason of the runtime why a container cannot start', async () => {
    const world = createPodWorld();
    world.runtime.startFault = () =>
      Object.assign(new Error('no such image'), { reason: 'ErrImageNeverPull' });
    world.api.create(podOf('a'));
    world.startAgent();
    await world.seconds(2);
    const waiting = { reason: 'ErrImageNeverPull', message: 'no such image' };
    expect(world.status('a')?.containerStatuses?.[0]?.state?.waiting).toEqual(waiting);
    expect(world.events).toEqual(['0 a/c Failed: Error: no such image']);
  });

  it('has its hook given up when it is deleted', async () => {
    const hooks = {
      postStart: async (...[, , , signal]: Parameters<Hooks['postStart']>) =>
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        }),
    };
    const lifecycle = { postStart: { exec: {} } };
    const { api, seconds } = await withPods({ hooks }, [
      podOf('a', { containers: [{ name: 'c', image: 'host', lifecycle }] }),
    ]);
    api.markDeleted('a');
    await seconds(3);
    expect(api.pod('a')).toBeUndefined();
  });
});

describe('an agent that is started again', () => {
  it('takes up what runs, and ends what nobody wants any more', async () => {
    const { runtime, kill, startAgent, seconds, api, status } = await withPods({}, [podOf('a'), podOf('b')]);
    kill();
    runtime.exit('a', 'c', 1);
    api.remove('b');
    await seconds(60);
    expect(runtime.running()).toEqual(['b/c']);
    startAgent();
    await seconds(5);
    expect(runtime.starts).toEqual(['a/c #0', 'b/c #0', 'a/c #1']);
    expect(runtime.running()).toEqual(['a/c']);
    expect(status('a')?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  });

  it('leaves a pod that was refused as it is, and lets it go when it is deleted', async () => {
    const world = await withPods({ admission: { pressure: ['DiskPressure'] } }, [podOf('a')]);
    const { kill, startAgent, seconds, api, status } = world;
    const before = status('a');
    expect(before).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    kill();
    startAgent();
    await seconds(120);
    expect(status('a')).toEqual(before);
    api.markDeleted('a');
    await seconds(2);
    expect(api.pod('a')).toBeUndefined();
  });

  it('begins again after the machine was started again', async () => {
    const { runtime, kill, startAgent, seconds } = await withPods({}, [
      podOf('a'),
      podOf('b', { restartPolicy: 'Never' }),
    ]);
    kill();
    runtime.reboot();
    startAgent();
    await seconds(5);
    expect(runtime.running()).toEqual(['a/c']);
    expect(runtime.violations).toEqual([]);
  });
});
