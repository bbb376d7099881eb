import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serviceProgram } from '../../../../cli/service/program.ts';

const execPath = '/opt/node';

/** A program in a folder of this name. */
const programIn = (name: string): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-program-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, name, 'rollcall-agent.cjs');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  return program;
};

it('a service runs this Node with this program itself, and with little memory', () => {
  const program = programIn('opt');
  const link = join(dirname(program), 'link');
  symlinkSync(program, link);
  const words = ['/opt/node', '--max-semi-space-size=1', '--optimize-for-size', program];
  expect(
    serviceProgram({ execPath, argv: ['node', link] }, false, [
      '--max-semi-space-size=1',
      '--optimize-for-size',
    ]),
  ).toEqual(words);
});

it('a service runs the single executable as it is', () => {
  expect(serviceProgram({ execPath: '/opt/rollcall-agent', argv: [] }, true)).toEqual([
    '/opt/rollcall-agent',
  ]);
});

it('no service runs what npx will clear away', () => {
  const argv = ['node', programIn('_npx/1')];
  expect(() => serviceProgram({ execPath, argv }, false)).toThrow(/install the package first/);
});
