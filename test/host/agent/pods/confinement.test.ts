import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeImage,
  type RuntimeMachine,
  startRuntimeMachine,
} from '../../../support/agent/machines/runtime-machine.ts';

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

  /** Tries calls by Perl: 0 is success, else the error's number. */
  const tried = (...calls: readonly (readonly [number, ...(readonly (number | string)[])])[]): string =>
    calls
      .map(([number, ...args]) => `$! = 0; syscall(${[number, ...args].join(', ')}); print $! + 0, " ";`)
      .join(' ');
  const UNSHARE_USER = [272, 0x10000000] as const;
  const KEYCTL = [250, 0, -3, 0] as const;
  const NEW_CALL = [500] as const;
  const CLONE3 = [435, 0, 0] as const;
  const VSOCK = [41, 40, 1, 0] as const;
  const SOCKET = [41, 1, 1, 0] as const;
  const PERSONALITY = [135, 0x40000] as const;
  const CALLS = tried(UNSHARE_USER, KEYCTL, NEW_CALL, CLONE3, VSOCK, SOCKET, PERSONALITY);

  it.runIf(process.arch === 'x64')(
    'J-230: has the calls that the default profile allows, also as root',
    async () => {
      const confinement = { callFilter: { capabilities: ['sys_chroot'] } };
      const script = `grep Seccomp: /proc/self/status; perl -e '${CALLS}'; chroot / true && echo chroot; mount -t tmpfs x /mnt || echo refused`;
      const log = await said(script, { confinement });
      expect(log).toContain('Seccomp:\t2\n1 1 38 38 1 0 1 chroot\n');
      expect(log).toMatch(/refused\n$/);
      const id = await machine.start(['sleep', '1000'], { confinement, user: NOBODY, name: 'user' });
      const { output } = await machine
        .runtime()
        .exec(id, ['sh', '-c', `id -u; perl -e '${CALLS}'`], PATIENCE_MS);
      expect(output).toBe('65534\n1 1 38 38 1 0 1 ');
    },
  );

  it('J-230: gives a command its own root, also one that comes while its process still becomes the program', async () => {
    const image = makeImage(join(machine.folder, 'image'));
    const more = { image, user: NOBODY, confinement: { callFilter: { capabilities: [] } } };
    const [root, own] = [statSync('/').ino, statSync(image).ino];
    let isCaught = false;
    for (let restartCount = 0; !isCaught && restartCount < 50; restartCount += 1) {
      const id = await machine.start(['sleep', '1000'], { ...more, restartCount });
      const pid = Number(readFileSync(join(machine.place(id), 'main'), 'utf8').split(' ')[0]);
      process.kill(pid, 'SIGSTOP');
      isCaught = statSync(`/proc/${pid}/root/.`).ino === root;
      const answer = machine.runtime().exec(id, ['ls', '-id', '/'], PATIENCE_MS);
      setTimeout(() => process.kill(pid, 'SIGCONT'), 300);
      expect((await answer).output.trim()).toBe(`${own} /`);
    }
    expect(isCaught).toBe(true);
  });

  it('J-230: is filtered in a folder without Perl, with its folder, user, variables and exit code', async () => {
    const image = makeImage(join(machine.folder, 'image'));
    const more = {
      image,
      user: NOBODY,
      workingDirectory: '/work',
      environment: { LC_ALL: 'xx_XX' },
      confinement: { callFilter: { capabilities: [] }, hasNoNewPrivileges: true },
    };
    const script = 'pwd; id -u; cat /proc/self/status; echo $LC_ALL $PERL_BADLANG; exit 7';
    const id = await machine.start(['sh', '-c', script], more);
    expect(await machine.ended(id)).toMatchObject({ exitCode: 7 });
    expect(machine.log(id)).toMatch(/^\/work\n65534\n.*Seccomp:\t2\n.*\nxx_XX\n$/s);
    const other = await machine.start(['sleep', '1000'], { ...more, name: 'other' });
    const { output } = await machine
      .runtime()
      .exec(other, ['sh', '-c', 'pwd; id -u; ls /work/..'], PATIENCE_MS);
    expect(output).toBe('/work\n65534\nbin\ndev\nlib\nlib64\nproc\ntmp\nusr\nwork\n');
  });

  it('J-230: gives no variable to the program that installs the filter', async () => {
    const confinement = { callFilter: { capabilities: [] } };
    const environment = { PERL5OPT: '-Mevil', PERL5LIB: machine.folder };
    writeFileSync(join(machine.folder, 'evil.pm'), `print STDERR "evil $>\n"; 1;\n`);
    expect(await said('id -u; echo $PERL5LIB', { confinement, environment, user: NOBODY })).toBe(
      `65534\n${machine.folder}\n`,
    );
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
