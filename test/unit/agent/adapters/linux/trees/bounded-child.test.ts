import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runBounded } from '../../../../../../agent/adapters/linux/trees/bounded-child.ts';
import { eventually } from '../../../../../support/clocks/eventually.ts';

const LONG_MS = 60_000;

const shell = (script: string, more: Partial<Parameters<typeof runBounded>[2]> = {}) =>
  runBounded('sh', ['-c', script], { timeoutMs: LONG_MS, mostOutput: 100, ...more });

const CHILD = new URL('../../../../../../agent/adapters/linux/trees/bounded-child.ts', import.meta.url).href;

describe('a program with bounds', () => {
  it('neither keeps the agent nor outlives it', async () => {
    const script = `const { runBounded } = await import('${CHILD}');
      void runBounded('sh', ['-c', 'echo $$ >&2; exec sleep 600'], {
        timeoutMs: 600_000,
        onError: (pid) => process.stdout.write(pid),
      });
      setTimeout(() => {}, 1000);`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(output).toMatch(/^\d+\n$/);
    await eventually('it has ended', 30_000, async () => !existsSync(`/proc/${output.trim()}`));
  });

  it('tells its code and its output', async () => {
    const end = await shell('echo out; echo wrong >&2; exit 3');
    expect(end).toEqual({ code: 3, isTimedOut: false, output: Buffer.from('out\n'), errorText: 'wrong' });
  });

  it('may write without end: what is kept is bounded, and it is not stopped by that', async () => {
    const end = await shell('yes | head -c 3000000; yes | head -c 3000000 >&2; exit 0');
    expect([end.code, end.output.length, end.errorText.length]).toEqual([0, 100, 1024]);
  });

  it('forges no line', async () => {
    const { errorText } = await shell(String.raw`printf 'a\nb\033[31mc\rd' >&2`);
    expect(errorText).toBe(String.raw`a\nb\u001b[31mc\rd`);
  });

  it('is killed when its time is over, or the agent ends', async () => {
    expect(await shell('exec sleep 600', { timeoutMs: 50 })).toMatchObject({ isTimedOut: true });
    const end = await shell('exec sleep 600', { signal: AbortSignal.timeout(50) });
    expect([end.isTimedOut, end.code]).toEqual([true, undefined]);
  });

  it('that is killed by another has no code, and one that is not there says so', async () => {
    const killed = await shell('kill -9 $$');
    expect([killed.isTimedOut, killed.code, killed.startFault]).toEqual([false, undefined, undefined]);
    const end = await runBounded('no-such-program', [], { timeoutMs: LONG_MS });
    expect(end.startFault).toContain('ENOENT');
  });
});
