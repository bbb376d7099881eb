import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaces } from '../../../../../../agent/adapters/containers/places.ts';
import { markOf } from '../../../../../../agent/adapters/linux/processes.ts';
import {
  type RunningContainer,
  type RunningContainers,
  stillRunning,
} from '../../../../../../agent/adapters/oci-runtime/containers/running.ts';

const place = createPlaces('/nowhere', '/pods', 'runc').container({
  podUid: 'u',
  name: 'c',
  restartCount: 0,
});

describe('a container that is known to run', () => {
  let children: readonly ChildProcess[];
  let running: RunningContainers;
  const markAt = (index: number) => markOf(children[index]?.pid ?? 0) ?? { pid: 0, startTime: '' };

  beforeEach(() => {
    children = [spawn('sleep', ['1000']), spawn('sleep', ['1000'])];
    const known = { program: markAt(0), keeper: markAt(1) } as RunningContainer;
    running = new Map([[place.id, known]]);
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('runs as long as its program and its keeper live', () => {
    expect(stillRunning(running, place)).toMatchObject({ program: markAt(0) });
    expect(stillRunning(new Map(), place)).toBeUndefined();
  });

  it.each([
    ['program', 0],
    ['keeper', 1],
  ])('is looked at anew without its %s', async (_what, index) => {
    const child = children[index];
    child?.kill('SIGKILL');
    if (child) await once(child, 'close');
    expect(stillRunning(running, place)).toBeUndefined();
    expect(running.size).toBe(0);
  });

  it('is not a later process of the same number', () => {
    const known = running.get(place.id);
    if (known) running.set(place.id, { ...known, program: { ...known.program, startTime: '1' } });
    expect(stillRunning(running, place)).toBeUndefined();
  });
});
