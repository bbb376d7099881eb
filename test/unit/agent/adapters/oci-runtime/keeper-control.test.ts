import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaces } from '../../../../../agent/adapters/containers/places.ts';
import { findProgram } from '../../../../../agent/adapters/linux/find-program.ts';
import type { RunningContainer } from '../../../../../agent/adapters/oci-runtime/containers/running.ts';
import {
  reopenLog,
  resizeTerminal,
  rotateLogs,
} from '../../../../../agent/adapters/oci-runtime/streams/keeper-control.ts';

const MKFIFO = findProgram('mkfifo') ?? 'mkfifo';
const MOST_READ = 199;

let attempt: string;
let pipe: number;

beforeEach(() => {
  attempt = mkdtempSync(join(tmpdir(), 'rollcall-keeper-'));
  execFileSync(MKFIFO, [join(attempt, 'ctl')]);
  pipe = openSync(join(attempt, 'ctl'), constants.O_RDONLY | constants.O_NONBLOCK);
});

afterEach(() => {
  closeSync(pipe);
  rmSync(attempt, { recursive: true });
});

/** The first line of what is read, for each of its lines. */
const taken = (text: string): readonly string[] => {
  const [first = '', ...more] = text.split('\n');
  return more.map(() => first.trim());
};

const readPipe = (): readonly string[] => {
  const bytes = Buffer.alloc(MOST_READ);
  return taken(bytes.subarray(0, readSync(pipe, bytes)).toString());
};

/** What a keeper does with all that was sent to it. `isOwnFirst`: of its two pipes it reads the one for sizes first. */
const keep = (isOwnFirst: boolean): readonly string[] => {
  const done: string[] = [];
  let own: string[] = [];
  const readOwn = (): void => {
    done.push(...taken(own.map((line) => `${line}\n`).join('')));
    own = [];
  };
  for (let isOver = false; !isOver; ) {
    const hasOwn = own.length > 0;
    if (hasOwn && isOwnFirst) readOwn();
    const lines = readPipe();
    own.push(...lines.filter((line) => line.startsWith('1 ')).map((line) => line.slice(2)));
    done.push(...lines.filter((line) => line.startsWith('2 ')));
    if (hasOwn && !isOwnFirst) readOwn();
    isOver = lines.length === 0 && own.length === 0;
  }
  return done;
};

describe('a keeper that takes the first line that it reads for all of them', () => {
  it.each([true, false])('gives its terminal the newest size, and the others before: %s', (isOwnFirst) => {
    for (const width of [100, 99, 101]) resizeTerminal(attempt, { width, height: 30 });
    const sizes = keep(isOwnFirst);
    expect([...new Set(sizes)]).toEqual(['30 100', '30 99', '30 101']);
    expect(sizes.at(-1)).toBe('30 101');
  });

  it('begins its log anew between two sizes', async () => {
    resizeTerminal(attempt, { width: 100, height: 30 });
    await reopenLog(attempt, join(attempt, 'ctl'));
    resizeTerminal(attempt, { width: 99, height: 30 });
    const done = keep(false);
    expect([...new Set(done)].toSorted()).toEqual(['2 0 0', '30 100', '30 99']);
    expect(done.at(-1)).toBe('30 99');
  });

  it('is sent nothing where it is gone, and no more than its pipe holds', () => {
    expect(() => resizeTerminal(join(attempt, 'nowhere'), { width: 1, height: 1 })).not.toThrow();
    for (let count = 0; count < 1000; count += 1) resizeTerminal(attempt, { width: 1, height: 1 });
  });
});

it('whether a container runs is asked only where its log is too long', async () => {
  const logFile = join(attempt, '0.log');
  const gone = { pid: 0, startTime: '' };
  const place = createPlaces(attempt, '/pods', 'runc').container({ podUid: 'u', name: 'c', restartCount: 0 });
  const known = { record: { attempt: 'a', logFile }, program: gone, keeper: gone } as RunningContainer;
  const running = new Map([[place.id, known]]);
  const parts = { running, logs: { maxSize: 10, maxFiles: 3 }, now: () => 0 };
  const rotate = () =>
    rotateLogs(
      parts,
      () => place,
      (error) => expect.fail(String(error)),
    );
  writeFileSync(logFile, 'short');
  await rotate();
  expect(running.size).toBe(1);
  writeFileSync(logFile, 'a log that is too long');
  await rotate();
  expect([running.size, existsSync(logFile)]).toEqual([0, true]);
});
