import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../../agent/adapters/system-clock.ts';
import { type FollowDeps, readLog } from '../../../../agent/logs/read-log.ts';
import type { LogOptions } from '../../../../agent/rules/logs/log-options.ts';
import { NO_FILES, writeSparse } from '../../../support/agent/machines/hostile-files.ts';

let folder: string;
const path = (name = '0.log'): string => join(folder, name);
const ALL: LogOptions = { follow: false, previous: false, timestamps: false };
const NOW = Date.parse('2026-01-02T03:04:05Z');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A container that runs until it is said to have ended. */
const aContainer = () => {
  let runs = true;
  const callbacks = new Set<() => void>();
  const deps: FollowDeps = {
    clock: createSystemClock(new AbortController().signal),
    isRunning: async () => runs,
    onChange: (callback) => {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
  };
  const end = (): void => {
    runs = false;
    for (const callback of callbacks) callback();
  };
  return { deps, end, callbacks };
};

const read = async (options: Partial<LogOptions> = {}, deps = aContainer().deps): Promise<string> => {
  let text = '';
  for await (const piece of readLog(
    { path: path() },
    { ...ALL, ...options },
    deps,
    new AbortController().signal,
  ))
    text += Buffer.from(piece).toString();
  return text;
};

/** The lines of `text` in the format of the CRI, one second apart. */
const cri = (text: string, from = 0): string =>
  text
    .split(' ')
    .map((word, index) => `${new Date(NOW + (from + index) * 1000).toISOString()} stdout F ${word}\n`)
    .join('');

describe('a log in the format of the CRI', () => {
  beforeEach(() => {
    writeFileSync(path('0.log.20260102-030405.gz'), gzipSync(cri('a b c')));
    writeFileSync(path('0.log.20260102-030500'), cri('d e', 3));
    writeFileSync(path(), cri('f g', 5));
    writeFileSync(path('1.log'), cri('other'));
  });

  it('is read with its older files, compressed or not', async () => {
    expect(await read()).toBe('a\nb\nc\nd\ne\nf\ng\n');
  });

  it.each([
    [0, ''],
    [1, 'g\n'],
    [3, 'e\nf\ng\n'],
    [4, 'd\ne\nf\ng\n'],
    [5, 'c\nd\ne\nf\ng\n'],
    [9, 'a\nb\nc\nd\ne\nf\ng\n'],
  ])('has its last %i lines in all of them', async (tailLines, text) => {
    expect(await read({ tailLines })).toBe(text);
  });

  it('has times and a beginning', async () => {
    expect(await read({ since: NOW + 6000, timestamps: true })).toBe('2026-01-02T03:04:11.000000000Z g\n');
    utimesSync(path('0.log.20260102-030405.gz'), 1, 1);
    expect(await read({ since: NOW })).toBe('d\ne\nf\ng\n');
  });

  it('puts the parts of a line together', async () => {
    const at = new Date(NOW).toISOString();
    appendFileSync(path(), `${at} stdout P long \n${at} stderr P line\n${at} stdout F  ends\nnonsense\n`);
    expect(await read({ tailLines: 4, timestamps: true })).toBe(
      '2026-01-02T03:04:05.000000000Z long line ends\n',
    );
  });

  it('is followed across its rotation, to its end', async () => {
    const { deps, end, callbacks } = aContainer();
    const pieces = readLog(
      { path: path() },
      { ...ALL, follow: true, tailLines: 1 },
      deps,
      new AbortController().signal,
    );
    const next = async (): Promise<string> => String((await pieces.next()).value);
    expect(await next()).toBe('g\n');
    appendFileSync(path(), cri('h', 7));
    expect(await next()).toBe('h\n');
    appendFileSync(path(), cri('i', 8));
    renameSync(path(), path('0.log.20260102-030600'));
    writeFileSync(path(), cri('j', 9));
    expect((await next()) + (await next())).toBe('i\nj\n');
    const last = pieces.next();
    end();
    expect((await last).done).toBe(true);
    expect(callbacks.size).toBe(0);
  });
});

describe('a log in the format of the CRI that is rotated while it is read', () => {
  const compress = (name: string, text: string): void => {
    rmSync(path(name));
    writeFileSync(path(`${name}.gz`), gzipSync(text));
  };
  const start = (options: Partial<LogOptions> = {}) => {
    const { deps, end } = aContainer();
    const pieces = readLog({ path: path() }, { ...ALL, ...options }, deps, new AbortController().signal);
    const next = async (): Promise<string> => String((await pieces.next()).value);
    const rest = async (): Promise<string> => {
      let text = '';
      for await (const piece of pieces) text += Buffer.from(piece).toString();
      return text;
    };
    return { next, rest, end };
  };
  /** A follower that has read a line, and is at the end of the newest file. */
  const follow = async () => {
    writeFileSync(path(), cri('a'));
    const reader = start({ follow: true });
    expect(await reader.next()).toBe('a\n');
    return reader;
  };

  it('is followed while the runtime has still to make the new file', async () => {
    const { next, rest, end } = await follow();
    const piece = next();
    renameSync(path(), path('0.log.20260102-030600'));
    await sleep(50);
    appendFileSync(path('0.log.20260102-030600'), cri('b', 1));
    expect(await piece).toBe('b\n');
    const last = next();
    await sleep(50);
    writeFileSync(path(), cri('c', 2));
    expect(await last).toBe('c\n');
    end();
    expect(await rest()).toBe('');
  });

  it('is followed when the rotation is taken back', async () => {
    const { next, rest, end } = await follow();
    const piece = next();
    renameSync(path(), path('0.log.20260102-030600'));
    await sleep(50);
    renameSync(path('0.log.20260102-030600'), path());
    await sleep(50);
    appendFileSync(path(), cri('b', 1));
    expect(await piece).toBe('b\n');
    end();
    expect(await rest()).toBe('');
  });

  it.each(['compressed', 'deleted'])('is followed across two rotations, its file %s', async (fate) => {
    const { rest, end } = await follow();
    renameSync(path(), path('0.log.20260102-030600'));
    writeFileSync(path(), cri('b', 1));
    renameSync(path(), path('0.log.20260102-030700'));
    writeFileSync(path(), cri('c', 2));
    if (fate === 'deleted') rmSync(path('0.log.20260102-030600'));
    else compress('0.log.20260102-030600', cri('a'));
    end();
    expect(await rest()).toBe('b\nc\n');
  });

  it('is followed across many rotations, all of their files compressed', async () => {
    const { rest, end } = await follow();
    for (const [index, word] of ['b', 'c', 'd'].entries()) {
      renameSync(path(), path(`0.log.20260102-03060${index}`));
      writeFileSync(path(), cri(word, index + 1));
    }
    compress('0.log.20260102-030600', cri('a'));
    compress('0.log.20260102-030601', cri('b', 1));
    compress('0.log.20260102-030602', cri('c', 2));
    end();
    expect(await rest()).toBe('b\nc\nd\n');
  });

  it('never shows older lines again, whatever the clock said', async () => {
    writeFileSync(path('0.log.20260102-040000'), cri('old'));
    writeFileSync(path(), cri('a', 1));
    const { next, rest, end } = start({ follow: true, tailLines: 1 });
    expect(await next()).toBe('a\n');
    renameSync(path(), path('0.log.20260102-030600'));
    writeFileSync(path(), cri('b', 2));
    end();
    expect(await rest()).toBe('b\n');
  });

  it.each(['renamed', 'compressed', 'deleted'])('is read to its end, its older files %s', async (fate) => {
    writeFileSync(path('0.log.20260102-030405.gz'), gzipSync(cri('a')));
    writeFileSync(path('0.log.20260102-030500'), cri('b', 1));
    writeFileSync(path(), cri('c', 2));
    const { next, rest } = start();
    expect(await next()).toBe('a\n');
    renameSync(path(), path('0.log.20260102-030600'));
    writeFileSync(path(), cri('d', 3));
    if (fate === 'compressed') compress('0.log.20260102-030500', cri('b', 1));
    if (fate === 'deleted') rmSync(path('0.log.20260102-030500'));
    expect(await rest()).toBe('b\nc\nd\n');
  });

  it('is read while the runtime has still to make the new file', async () => {
    writeFileSync(path('0.log.20260102-030500'), cri('a b'));
    expect(await read()).toBe('a\nb\n');
    expect(await read({ tailLines: 1 })).toBe('b\n');
  });

  it('is followed to the end of its container, whose folder is removed', async () => {
    const { rest, end } = await follow();
    rmSync(folder, { recursive: true });
    end();
    expect(await rest()).toBe('');
    mkdirSync(folder);
  });
});

describe('a log of which nothing is left to show', () => {
  it('is no longer followed when nobody reads', async () => {
    writeFileSync(path(), cri('a'));
    const { deps, callbacks } = aContainer();
    const stop = new AbortController();
    const pieces = readLog({ path: path() }, { ...ALL, follow: true }, deps, stop.signal);
    await pieces.next();
    const last = pieces.next();
    stop.abort();
    expect((await last).done).toBe(true);
    expect(callbacks.size).toBe(0);
  });

  it('is told to be missing', async () => {
    await expect(read()).rejects.toThrow('ENOENT');
  });
});

describe('a log that is not what it should be', () => {
  it.each(NO_FILES)('is told to be none if there is %s', async (_, make) => {
    make(path());
    await expect(read()).rejects.toThrow('no regular file');
  });

  it.each(NO_FILES)('is read without its older file if that is %s', async (_, make) => {
    writeFileSync(path(), cri('c'));
    make(path('0.log.20260102-030405'));
    make(path('0.log.20260102-030406.gz'));
    expect(await read()).toBe('c\n');
  });

  it('has its last lines near its end, if it is sparse', async () => {
    writeSparse(path(), 'begin\n');
    appendFileSync(path(), `\n${cri('a b')}`);
    expect(await read({ tailLines: 2 })).toBe('a\nb\n');
  });

  it('is not searched to its beginning', { timeout: 60_000 }, async () => {
    writeSparse(path(), 'begin\n');
    const stop = new AbortController();
    const pieces = readLog({ path: path() }, { ...ALL, tailLines: 1 }, aContainer().deps, stop.signal);
    const first = pieces.next();
    stop.abort();
    expect((await first).value).toBeUndefined();
    await pieces.return(undefined);
  });

  it('has its last lines alone, however fast its program goes on to write', async () => {
    writeFileSync(path(), `${cri('a')}${cri('b')}`);
    const { signal } = new AbortController();
    let text = '';
    for await (const piece of readLog(
      { path: path() },
      { ...ALL, tailLines: 1 },
      aContainer().deps,
      signal,
    )) {
      text += Buffer.from(piece).toString();
      appendFileSync(path(), cri('more'));
      expect(text.length).toBeLessThan(100);
    }
    expect(text).toBe('b\n');
  });

  it('is read no further once its reader is gone', async () => {
    writeSparse(path());
    const stop = new AbortController();
    const pieces = readLog(
      { path: path() },
      { ...ALL, since: Date.now() + 1e6 },
      aContainer().deps,
      stop.signal,
    );
    const first = pieces.next();
    await sleep(50);
    stop.abort();
    expect((await first).done).toBe(true);
  });
});
