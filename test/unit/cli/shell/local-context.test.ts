import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { firstLine } from '../../../../cli/shell/local-context.ts';

const bytes = (...parts: readonly string[]): Readable =>
  Readable.from(parts.map((part) => Buffer.from(part)));

describe('the first line of an input', () => {
  it.each([
    ['without an end', ['to', 'ken'], 'token'],
    ['of several', ['token\r\nanother\n'], 'token'],
    ['after empty ones', ['\n \n', 'tok', 'en \n'], 'token'],
    ['that is not there', [], ''],
    ['of blanks', [' \n'], ''],
  ])('%s', async (_which, parts, line) => {
    expect(await firstLine(bytes(...parts))).toBe(line);
  });

  it('is not waited for any longer when it is there, and the rest is not read', async () => {
    const input = new PassThrough();
    input.write('token\n');
    expect(await firstLine(input)).toBe('token');
    expect(input.destroyed).toBe(true);
  });

  it('is bounded: an endless one is refused after a few bytes', async () => {
    let read = 0;
    const endless = new Readable({
      read() {
        read += 1024;
        this.push(Buffer.alloc(1024, 'x'));
      },
    });
    await expect(firstLine(endless)).rejects.toThrow('more than 8192 bytes');
    expect(read).toBeLessThan(100_000);
  });

  it('is bounded in blanks before it', async () => {
    const input = new PassThrough();
    input.write(' \n'.repeat(9000));
    await expect(firstLine(input)).rejects.toThrow('more than 8192 bytes');
  });

  it('is bounded in time', async () => {
    const input = new PassThrough();
    const stop = new AbortController();
    const line = firstLine(input, stop.signal);
    stop.abort();
    await expect(line).rejects.toThrow('no line within 60 s');
  });
});
