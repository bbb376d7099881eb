import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serviceMachine } from '../../../../cli/service/machine.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write('skipped: what other users may read: only root can try it\n');
const machine = serviceMachine('rollcall-test.service');
const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };

const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

it('knows the users of the machine', async () => {
  expect(await machine.account('root', '/')).toEqual({ name: 'root', uid: 0, gid: 0 });
});

it.runIf(isRoot)('asks as the user whether a file can be read, past all folders on the way', async () => {
  const folder = aFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  chmodSync(folder, 0o755);
  expect(await machine.mayRead(nobody, file)).toBe(true);
  chmodSync(folder, 0o700);
  expect(await machine.mayRead(nobody, file)).toBe(false);
});

it.runIf(isRoot)('makes a folder for the user alone, and takes no folder that others use', async () => {
  const folder = aFolder();
  await machine.makeFolder(nobody, join(folder, 'new'));
  const { uid, mode } = statSync(join(folder, 'new'));
  expect([uid, mode & 0o777]).toEqual([nobody.uid, 0o700]);
  await machine.makeFolder(nobody, join(folder, 'new'));
  mkdirSync(join(folder, 'other'));
  await expect(machine.makeFolder(nobody, join(folder, 'other'))).rejects.toThrow("is another user's");
  chmodSync(join(folder, 'new'), 0o755);
  await expect(machine.makeFolder(nobody, join(folder, 'new'))).rejects.toThrow('others may look into');
});
