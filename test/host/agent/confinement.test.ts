import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeImage, type RuntimeMachine, startRuntimeMachine } from '../../support/agent/runtime-machine.ts';

const PATIENCE_MS = 20_000;
const SHOW = 'grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs)" /proc/self/status | tr -s "\\t" " "';
const NOBODY = { uid: 65_534, gid: 65_534, groups: [] };

let machine: RuntimeMachine;
const said = async (...given: Parameters<RuntimeMachine['shell']>): Promise<string> => {
  const id = await machine.shell(...given);
  await machine.ended(id);
  return machine.log(id);
};

afterEach(() => machine.close());

describe.runIf(process.getuid?.() === 0)('a confined container', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    machine = await startRuntimeMachine();
  });

  it('J-150: has the capabilities that it keeps, and gains none', async () => {
    const confinement = { boundingSet: '-all,+net_bind_service', hasNoNewPrivileges: true };
    expect(await said(SHOW, { confinement })).toBe(
      'Uid: 0 0 0 0\nCapEff: 0000000000000400\nCapBnd: 0000000000000400\nNoNewPrivs: 1\n',
    );
  });

  it('J-150: has none as another user, also in a command that is run in it', async () => {
    const confinement = { boundingSet: '-all', hasNoNewPrivileges: true };
    const id = await machine.start(['sleep', '1000'], { confinement, user: NOBODY });
    const { output } = await machine.runtime().exec(id, ['sh', '-c', SHOW], PATIENCE_MS);
    expect(output).toBe(
      'Uid: 65534 65534 65534 65534\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\n',
    );
  });

  it('J-151: writes to its volumes only, and cannot change that', async () => {
    const source = join(machine.folder, 'volume');
    const target = join(machine.folder, 'a place');
    mkdirSync(source);
    const tried = [
      `echo x > '${target}/new' && echo volume`,
      `echo x > /dev/termination-log && echo message`,
      'echo x > /dev/null && echo device',
      `echo x > ${machine.folder}/outside && echo outside`,
      'mount -o remount,bind,rw / && echo remounted',
    ];
    const log = await said(tried.join('; '), {
      confinement: { hasReadOnlyRoot: true, boundingSet: '-sys_admin' },
      mounts: [{ source, target, isReadOnly: false }],
      terminationMessagePath: '/dev/termination-log',
    });
    expect(log.split('\n').filter((line) => /^\w+$/.test(line))).toEqual(['volume', 'message', 'device']);
    expect(readFileSync(join(source, 'new'), 'utf8')).toBe('x\n');
    writeFileSync(join(machine.folder, 'outside'), 'the machine itself can be written to');
  });

  it('J-151: in a folder as well', async () => {
    const image = makeImage(join(machine.folder, 'image'));
    const source = join(machine.folder, 'volume');
    mkdirSync(source);
    const log = await said('echo x > /work/new; echo x > /data/new; ls /work /data', {
      image,
      confinement: { hasReadOnlyRoot: true },
      mounts: [{ source, target: '/data', isReadOnly: false }],
    });
    expect(log).toMatch(/Read-only file system/);
    expect(log).toMatch(/\/data:\nnew\n\n\/work:\n$/);
  });

  it('J-150: is not started in a folder that has no setpriv, unless it has no power anyway', async () => {
    const image = makeImage(join(machine.folder, 'image'));
    const confinement = { boundingSet: '-all', hasNoNewPrivileges: true };
    await expect(machine.start(['id'], { image, confinement })).rejects.toMatchObject({
      reason: 'CreateContainerError',
      message: expect.stringContaining('setpriv of util-linux'),
    });
    expect(await said('id -u', { image, confinement, user: NOBODY, name: 'user' })).toBe('65534\n');
  });
});
