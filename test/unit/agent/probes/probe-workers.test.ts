import { describe, expect, it } from 'vitest';
import { createProbeWorkers } from '../../../../agent/probes/probe-workers.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import type { ContainerStatus } from '../../../../agent/rules/containers/container-status.ts';
import { known, NOT_KNOWN } from '../../../../agent/rules/known.ts';
import type { ProbeView } from '../../../../agent/rules/probes/probe-state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';

const POD: AgentPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u' },
  spec: {
    restartPolicy: 'Always',
    containers: [{ name: 'c', readinessProbe: { periodSeconds: 5 }, livenessProbe: { failureThreshold: 1 } }],
    initContainers: [
      { name: 's', restartPolicy: 'Always', startupProbe: { periodSeconds: 1 } },
      { name: 'i', readinessProbe: {} },
    ],
  },
};

const statusOf = (name: string, started: boolean): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  containerID: `t://${name}`,
  started,
  state: { running: { startedAt: toTime(0) } },
});

const world = (start = 0) => {
  const clock = createVirtualClock(0);
  const asked: string[] = [];
  const updates: string[] = [];
  let answer: 'success' | 'failure' = 'success';
  const workers = createProbeWorkers({
    clock: { ...clock, uptime: clock.now },
    random: () => start,
    view: (_uid, name): ProbeView => ({
      hasPodEnded: false,
      isPodDeleting: false,
      status: statusOf(name, name === 'c'),
    }),
    prober: {
      probe: async (kind, _pod, { name }) => {
        asked.push(`${clock.now()} ${kind} ${name}`);
        return await Promise.resolve({ kind: answer, output: '' });
      },
    },
    events: { record: () => undefined },
    onUpdate: ({ container, kind, result }) => updates.push(`${kind} ${container} ${result}`),
  });
  return {
    clock,
    asked,
    updates,
    workers,
    fail: () => {
      answer = 'failure';
    },
  };
};

describe('createProbeWorkers', () => {
  it('asks main containers and sidecars in their periods', async () => {
    const { clock, asked, workers } = world();
    workers.add(POD);
    await clock.run(clock.sleep(10_001));
    expect(asked).toEqual([
      '0 Readiness c',
      '0 Liveness c',
      '0 Startup s',
      '5000 Readiness c',
      '10000 Liveness c',
      '10000 Readiness c',
    ]);
  });

  it('spreads the first rounds after the start of the agent over the period', async () => {
    const { clock, asked, workers } = world(0.5);
    workers.add(POD);
    await clock.run(clock.sleep(5001));
    expect(asked).toEqual(['500 Startup s', '2500 Readiness c', '5000 Liveness c']);
  });

  it('tells what it knows of the container that runs, and tells changes', async () => {
    const { clock, updates, workers } = world();
    workers.add(POD);
    await clock.run(clock.sleep(1));
    const lookup = workers.lookup(POD);
    expect(lookup('Readiness', statusOf('c', true))).toEqual(known('Success'));
    expect(lookup('Readiness', { ...statusOf('c', true), containerID: 't://new' })).toEqual(NOT_KNOWN);
    expect(lookup('Readiness', statusOf('i', true))).toBe('no probe');
    expect(updates).toContain('Readiness c Failure');
    expect(updates).toContain('Readiness c Success');
    expect(updates).toContain('Startup s Success');
  });

  it('knows nothing before the first answers are as many as the threshold says', async () => {
    const { clock, fail, updates, workers } = world();
    const lookup = () => workers.lookup(POD)('Readiness', statusOf('c', true));
    expect(lookup()).toEqual(NOT_KNOWN);
    fail();
    workers.add(POD);
    await clock.run(clock.sleep(5001));
    expect(lookup()).toEqual(NOT_KNOWN);
    updates.length = 0;
    await clock.run(clock.sleep(5000));
    expect(lookup()).toEqual(known('Failure'));
    expect(updates).toEqual(['Readiness c Failure']);
  });

  it('asks nothing any more when it is closed, whoever adds pods', async () => {
    const { clock, asked, workers } = world();
    workers.add(POD);
    await clock.run(clock.sleep(1));
    workers.close();
    workers.add(POD);
    await clock.run(clock.sleep(60_000));
    expect(asked).toEqual(['0 Readiness c', '0 Liveness c', '0 Startup s']);
  });

  it('asks no container again that is to be restarted', async () => {
    const { clock, asked, fail, updates, workers } = world();
    fail();
    workers.add(POD);
    await clock.run(clock.sleep(60_000));
    expect(updates).toContain('Liveness c Failure');
    expect(asked.filter((one) => one.includes('Liveness'))).toEqual(['0 Liveness c']);
  });

  it('asks at once where it is told to, and goes on in periods from then', async () => {
    const { clock, asked, workers } = world();
    workers.add(POD);
    await clock.run(clock.sleep(2000));
    workers.askReadiness('u', ['c']);
    await clock.run(clock.sleep(5001));
    expect(asked.filter((one) => one.includes('Readiness'))).toEqual([
      '0 Readiness c',
      '2000 Readiness c',
      '7000 Readiness c',
    ]);
  });

  it('goes on with the readiness of a pod that ends, until it is removed', async () => {
    const { clock, asked, workers } = world();
    workers.add(POD);
    await clock.run(clock.sleep(1));
    workers.stopAliveChecks('u');
    await clock.run(clock.sleep(10_000));
    workers.remove('u');
    await clock.run(clock.sleep(60_000));
    expect(asked.slice(3)).toEqual(['5000 Readiness c', '10000 Readiness c']);
    expect(workers.lookup(POD)('Readiness', statusOf('c', true))).toEqual(NOT_KNOWN);
  });

  it('does not begin a probe twice', async () => {
    const { clock, asked, workers } = world();
    workers.add(POD);
    workers.add(POD);
    await clock.run(clock.sleep(1));
    expect(asked).toHaveLength(3);
  });

  it('does not count the answer of a pod that was removed meanwhile', async () => {
    const { clock, updates, workers } = world();
    workers.add(POD);
    // The first round has asked, and waits for its answer.
    await Promise.resolve();
    workers.remove('u');
    await clock.run(clock.sleep(1));
    expect(updates).toEqual([]);
  });
});
