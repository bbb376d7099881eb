import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const MODULE = JSON.stringify(resolve('agent/adapters/linux/inherited-descriptors.ts'));

const hasBash = existsSync('/bin/bash');

describe.skipIf(process.platform !== 'linux' || !hasBash)('what a process has inherited', () => {
  /** The process has inherited 9, 17 and 30, and lists those that a program has which it starts. */
  const givenTo = async (line: string): Promise<readonly number[]> => {
    const script = `
      import { spawnSync } from 'node:child_process';
      const { closeInherited } = await import(${MODULE});
      ${line}
      spawnSync('/bin/ls', ['/proc/self/fd'], { stdio: ['ignore', 'inherit', 'inherit'] });`;
    const words = [process.execPath, '--input-type=module', '--eval', script];
    const careless = 'exec "$@" 9</dev/null 17</dev/null 30</dev/null';
    const child = spawn('/bin/bash', ['-c', careless, 'bash', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    // The program itself has opened 3.
    return text
      .split('\n')
      .map(Number)
      .filter((descriptor) => descriptor > 3);
  };

  it('is given to no program that it starts', async () => {
    // Without it, the test sees what is given on.
    expect(await givenTo('')).toContain(30);
    expect(await givenTo('closeInherited();')).toEqual([]);
  });
});
