import { describe, expect, it } from 'vitest';
import { createWindowsShutdown } from '../../../../agent/shutdown/windows-shutdown.ts';
import { fakeWindows } from '../../../support/agent/fake-windows-service.ts';
import { shutdownDeps } from '../../../support/agent/shutdown-deps.ts';

const ENTRIES = [
  [1, 10],
  [2, 20],
] as const;

describe('a node on Windows', () => {
  it('takes its place in the order, asks for its time, and shows the last shutdown', async () => {
    const { deps, happened } = shutdownDeps(ENTRIES, []);
    const services = fakeWindows({ dependencies: ['containerd'], order: ['vss', 'containerd'] });
    await createWindowsShutdown({ ...deps, services }).start();
    expect(services.order()).toEqual(['vss', 'rollcall-agent', 'containerd']);
    expect(services.timeoutMs()).toBe(30_000);
    expect(happened).toEqual(['0 started at 5', '0 ended at 7']);
  });

  it('leaves a longer time-out as it is', async () => {
    const services = fakeWindows({ timeoutMs: 180_000 });
    await createWindowsShutdown({ ...shutdownDeps(ENTRIES, []).deps, services }).start();
    expect(services.timeoutMs()).toBe(180_000);
  });

  it('has no graceful shutdown where Windows gives it too little time', async () => {
    const services = fakeWindows({ mostMs: 20_000 });
    const shutdown = createWindowsShutdown({ ...shutdownDeps(ENTRIES, []).deps, services });
    await expect(shutdown.start()).rejects.toThrow(
      'node shutdown manager was unable to update preshutdown time to 30s (ShutdownGracePeriod), current value of preshutdown time (20s) is less than requested ShutdownGracePeriod',
    );
  });

  it('says that it is not a service, and goes on without graceful shutdown', async () => {
    const shutdown = createWindowsShutdown({
      ...shutdownDeps(ENTRIES, []).deps,
      services: fakeWindows({ isService: false }),
    });
    await expect(shutdown.start()).rejects.toThrow('the agent is NOT running as a Windows service');
    expect([shutdown.admit(), shutdown.readyError()]).toEqual([{ admit: true }, undefined]);
  });

  it('ends its pods by priority before Windows goes on, and takes no new ones', async () => {
    const { clock, deps, happened } = shutdownDeps(ENTRIES, [
      ['two', 2, 5],
      ['one', 1, 60],
    ]);
    const services = fakeWindows({});
    const shutdown = createWindowsShutdown({ ...deps, services });
    await shutdown.start();
    happened.length = 0;
    await clock.run(services.shutDown());
    expect(happened).toEqual([
      '0 Shutdown: Shutdown manager detected preshutdown event',
      '0 sync',
      '0 {"startTime":"1970-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}',
      '0 started at 0',
      '0 ended at 0',
      '0 phase 1 of 2, all until 30',
      '0 end one in 10 s',
      '10 Shutdown manager pod killing time out: priority 1',
      '10 phase 2 of 2, all until 30',
      '10 end two in 20 s',
      '15 ended two',
      '15 phase 0 of 2, all until 15',
      '15 {"startTime":"1970-01-01T00:00:00Z","endTime":"1970-01-01T00:00:15Z"}',
      '15 ended at 15000',
    ]);
    expect([shutdown.admit().admit, shutdown.readyError()]).toEqual([false, 'node is shutting down']);
  });

  it('does not wait for volumes longer than its time', async () => {
    const { clock, deps, happened } = shutdownDeps([[1, 2]], [['one', 1, 0, 3]]);
    const services = fakeWindows({});
    await createWindowsShutdown({ ...deps, services }).start();
    await clock.run(services.shutDown());
    await clock.run(clock.sleep(5000));
    expect(happened.slice(-5)).toEqual([
      '2 Shutdown manager pod killing time out: priority 1',
      '2 phase 0 of 1, all until 2',
      '2 {"startTime":"1970-01-01T00:00:00Z","endTime":"1970-01-01T00:00:02Z"}',
      '2 ended at 2000',
      '3 Failed while waiting for all the volumes belonging to Pods in this group to unmount: default/one',
    ]);
  });

  it('does nothing at a shutdown after it was stopped', async () => {
    const { deps, happened } = shutdownDeps(ENTRIES, [['one', 1, 0]]);
    const services = fakeWindows({});
    const shutdown = createWindowsShutdown({ ...deps, services });
    await shutdown.start();
    happened.length = 0;
    await shutdown.stop();
    await services.shutDown();
    expect(happened).toEqual([]);
  });
});
