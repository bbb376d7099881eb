import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPlaces } from '../../../../../../agent/adapters/containers/places.ts';
import { writePod } from '../../../../../../agent/adapters/containers/pod-record.ts';
import { markOf, readBootId } from '../../../../../../agent/adapters/linux/processes.ts';
import type { OciParts } from '../../../../../../agent/adapters/oci-runtime/containers/parts.ts';
import {
  writeRecord,
  writeStarted,
} from '../../../../../../agent/adapters/oci-runtime/containers/records.ts';
import {
  LOOKS_AT_ONCE,
  readRuntimePod,
} from '../../../../../../agent/adapters/oci-runtime/containers/runtime-pods.ts';
import { createLane } from '../../../../../../agent/lane.ts';

const UID = 'u';
const COUNT = 10;
const IDENTITY = { namespace: 'default', name: 'p', uid: UID };

let root: string;
let children: ChildProcess[];
let calls: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-looks-'));
  children = [];
  calls = join(root, 'calls');
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

/** A runtime in which all runs, and which takes a while to say so. */
const slowRuntime = (): string => {
  const program = join(root, 'runtime');
  const text = `#!/bin/sh\necho + >>${calls}\nsleep 0.3\necho - >>${calls}\necho '{"status":"running","pid":1}'\n`;
  writeFileSync(program, text, { mode: 0o755 });
  return program;
};

/** The most lines `+` without their `-`. */
const mostAtOnce = (): number => {
  let [now, most] = [0, 0];
  for (const line of readFileSync(calls, 'utf8').split('\n').filter(Boolean)) {
    now += line === '+' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
};

it('an agent that has just begun looks at several containers at once, and at no more than that', async () => {
  const places = createPlaces(join(root, 'runtime-root'), '/pods', 'runc');
  const bootId = readBootId();
  mkdirSync(places.podFolder(UID), { recursive: true });
  const spec = { pod: IDENTITY, hostname: 'p', bounds: {}, logFolder: join(root, 'logs') };
  writePod(places.podFolder(UID), { spec, createdAt: 1, bootId, slot: 0 });
  for (let index = 0; index < COUNT; index += 1) {
    const place = places.container({ podUid: UID, name: `c${index}`, restartCount: 0 });
    const attempt = join(place.folder, 'a');
    // The keeper has the folder in its command line.
    const child = spawn('sh', ['-c', 'sleep 1000; :', attempt]);
    children.push(child);
    const own = { ...spec, name: `c${index}`, restartCount: 0, image: 'host' };
    writeRecord(place, { spec: own as never, createdAt: 1, bootId, logFile: '', attempt: 'a' });
    mkdirSync(attempt);
    writeFileSync(join(attempt, 'conmon.pid'), String(child.pid));
    const mark = markOf(child.pid ?? 0) ?? expect.fail('no process');
    writeStarted(place, { attempt: 'a', ...mark });
  }
  const parts = {
    places,
    bootId,
    programs: { runtime: { program: slowRuntime(), stateFolder: root, callMs: 60_000 } },
    groups: { exists: () => true },
    uptime: () => performance.now(),
    looks: createLane(LOOKS_AT_ONCE),
    ends: { add: () => undefined },
    ...{ ended: new Map(), running: new Map(), ran: new Set(), alone: new Map(), turns: new Map() },
    ...{ starting: new Set(), reaped: new Set() },
  } as unknown as OciParts;
  const pod = await readRuntimePod(parts, UID);
  expect(pod?.containers.map(({ state }) => state)).toEqual(Array.from({ length: COUNT }, () => 'running'));
  expect(mostAtOnce()).toBeGreaterThan(1);
  expect(mostAtOnce()).toBeLessThanOrEqual(LOOKS_AT_ONCE);
});
