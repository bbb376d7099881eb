import { describe, expect, it } from 'vitest';
import { createStatusLoop } from '../../../../../agent/pods/worker/status-loop.ts';
import { createVirtualClock } from '../../../../../shared/adapters/memory/virtual-clock.ts';

const world = (passMs = 0) => {
  const clock = createVirtualClock(0);
  const passes: string[] = [];
  const sync = async (pass: string): Promise<void> => {
    passes.push(`${clock.now()} ${pass}`);
    await clock.sleep(passMs);
  };
  const loop = createStatusLoop({ clock: { ...clock, uptime: clock.now }, statuses: { sync } });
  const stop = new AbortController();
  return { clock, loop, passes, stop, running: loop.run(stop.signal) };
};

describe('createStatusLoop', () => {
  it('sends a change at once, and all every 10 s', async () => {
    const { clock, loop, passes } = world();
    await clock.run(clock.sleep(4000));
    loop.changed();
    await clock.run(clock.sleep(16_001));
    expect(passes).toEqual(['4000 changed', '10000 all', '20000 all']);
  });

  it('does not wait for those that are being sent', async () => {
    const { clock, loop, passes } = world(3000);
    loop.changed();
    await clock.run(clock.sleep(1000));
    loop.changed();
    loop.changed();
    await clock.run(clock.sleep(5000));
    expect(passes).toEqual(['0 changed', '1000 changed']);
  });

  it('goes on with all pods where changes come without end', async () => {
    const { clock, loop, passes } = world(4000);
    for (let round = 0; round < 6; round += 1) {
      loop.changed();
      await clock.run(clock.sleep(2000));
    }
    await clock.run(clock.sleep(8000));
    expect(passes).toContain('10000 all');
  });

  it('ends when what it has begun is done', async () => {
    const { clock, loop, running, stop } = world(3000);
    loop.changed();
    await clock.run(clock.sleep(1000));
    stop.abort();
    await clock.run(running);
    expect(clock.now()).toBe(3000);
  });

  it('ends when it is told to', async () => {
    const { clock, passes, running, stop } = world();
    stop.abort();
    await clock.run(running);
    expect(passes).toEqual([]);
  });
});
