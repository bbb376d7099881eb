/** Containers of each kind, as a real runc and a real conmon make them: what an enemy in them can see, open and write. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BundleMachine,
  busyboxImage,
  createBundleMachine,
  missingForBundles,
  type Script,
} from '../../../support/agent/oci/bundle-machine.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: containers of a real runc: ${missing}\n`);

/** Each line is a name and a word. Nothing is written to the machine's files, even if they are open. */
const PROBE = `
can() { name=$1; shift; if ( "$@" ) >/dev/null 2>&1; then echo "$name yes"; else echo "$name no"; fi; }
opens() { : >> "$1"; }
first() { head=; read head < "$1" && [ -n "$head" ]; }
pids=; for one in /proc/[0-9]*; do pids="$pids \${one#/proc/}"; done; echo "pids$pids"
ls -1 /proc/$$/fd
while read name value more; do case $name in Uid:|Gid:|NoNewPrivs:|Seccomp:|CapBnd:|CapEff:) echo "$name $value";; esac; done < /proc/$$/status
can core_pattern opens /proc/sys/kernel/core_pattern
can sysrq opens /proc/sysrq-trigger
can shadow first /etc/shadow
can sudoers first /etc/sudoers
can kcore first /proc/kcore
can debugfs ls -d /sys/kernel/debug/*
can group opens /sys/fs/cgroup/memory/memory.limit_in_bytes
can usr touch /usr/of-the-container
can etc touch /etc/of-the-container
can root touch /of-the-container
can tmp touch /tmp/of-the-container
can volume touch /etc/rollcall-place/of-the-container
can disk sh -c 'mknod /tmp/disk b 254 0 && dd if=/tmp/disk of=/dev/null count=1'
can log sh -c 'mknod /tmp/log c 1 11 && : >> /tmp/log'
[ -t 0 ] && echo "terminal yes" || echo "terminal no"
`;

const NUMBER = /^\d+$/;

/** The words by their names; `files`: the descriptors of the shell, a line for each. */
const wordsIn = (lines: readonly string[]): Readonly<Record<string, string>> => {
  const named = lines.filter((line) => !NUMBER.test(line)).map((line) => line.split(' '));
  return {
    files: lines.filter((line) => NUMBER.test(line)).join(' '),
    ...Object.fromEntries(named.map(([name = '', ...words]) => [name.replace(':', ''), words.join(' ')])),
  };
};

const NOTHING = {
  core_pattern: 'no',
  sysrq: 'no',
  shadow: 'no',
  sudoers: 'no',
  kcore: 'no',
  debugfs: 'no',
  group: 'no',
  disk: 'no',
  log: 'no',
  volume: 'yes',
  files: '0 1 2',
  Seccomp: '2',
  terminal: 'no',
};
const OF_HOST = {
  ...NOTHING,
  Uid: '2000000003',
  Gid: '2000000003',
  NoNewPrivs: '1',
  CapEff: '0000000000000000',
};

describe.runIf(missing === undefined || isComplete)('a container of a real runtime', () => {
  let machine: BundleMachine;
  let image: string;
  let volume: string;

  beforeAll(() => {
    machine = createBundleMachine();
    image = busyboxImage(join(machine.root, 'image'));
    writeFileSync(join(image, 'etc/shadow'), 'of the image\n', { mode: 0o600 });
    volume = join(machine.root, 'volume');
  });
  afterAll(() => machine.remove());

  const probe = async (script: Omit<Script, 'text'>) => {
    const source = mkdtempSync(`${volume}-`);
    chmodSync(source, 0o777);
    const mounts = [{ source, target: '/etc/rollcall-place', isReadOnly: false }];
    const { lines } = await machine.run({ ...script, text: PROBE, spec: { mounts, ...script.spec } });
    return { words: wordsIn(lines), source };
  };

  const hasOwnProcesses = (words: Readonly<Record<string, string>>): boolean =>
    (words['pids'] ?? '').split(' ').every((pid) => Number(pid) < 100);

  it.each<[string, Omit<Script, 'text'>, object]>([
    ['of host: a user of its pod', {}, { ...OF_HOST, usr: 'no', etc: 'no', root: 'no', tmp: 'yes' }],
    [
      'of host with a user, all that may be added, and no profile',
      {
        securityContext: {
          runAsUser: 1500,
          runAsGroup: 1500,
          capabilities: { add: ['ALL'] },
          seccompProfile: { type: 'Unconfined' },
        },
      },
      { ...OF_HOST, Uid: '1500', Gid: '1500', Seccomp: '0', usr: 'no', etc: 'no', tmp: 'yes' },
    ],
    [
      'of host with a read-only root',
      { securityContext: { readOnlyRootFilesystem: true } },
      { ...OF_HOST, usr: 'no', etc: 'no', root: 'no', tmp: 'no' },
    ],
    [
      'of host with the processes of the machine',
      { podSpec: { hostPID: true } },
      { ...OF_HOST, usr: 'no', tmp: 'yes' },
    ],
    [
      'of host with a terminal',
      { spec: { input: { hasInput: false, isTerminal: true, endsWithClient: false } } },
      { ...OF_HOST, terminal: 'yes' },
    ],
  ])('%s', async (_what, script, expected) => {
    const { words, source } = await probe(script);
    expect(words).toMatchObject(expected);
    expect(existsSync(join(source, 'of-the-container'))).toBe(true);
    expect(hasOwnProcesses(words)).toBe(script.podSpec === undefined);
  });

  it('of a folder: root of the folder, and of nothing else', async () => {
    const { words } = await probe({ image });
    expect(words).toMatchObject({
      ...NOTHING,
      Uid: '0',
      NoNewPrivs: '0',
      CapBnd: '00000000a80425fb',
      shadow: 'yes',
      usr: 'no',
      etc: 'yes',
      root: 'yes',
      tmp: 'yes',
    });
    expect(hasOwnProcesses(words)).toBe(true);
    expect(readdirSync(join(image, 'etc'))).toEqual(['shadow']);
    expect(readdirSync(image).toSorted()).toEqual(['bin', 'etc', 'proc', 'srv']);
  });

  it('of a folder with a read-only root: writes to its volume only', async () => {
    const { words, source } = await probe({ image, securityContext: { readOnlyRootFilesystem: true } });
    expect(words).toMatchObject({ ...NOTHING, shadow: 'yes', etc: 'no', root: 'no', tmp: 'no', Uid: '0' });
    expect(existsSync(join(source, 'of-the-container'))).toBe(true);
  });

  it('that is privileged: has the machine', async () => {
    const { lines } = await machine.run({
      securityContext: { privileged: true },
      text: `while read name value more; do case $name in Uid:|Seccomp:|CapBnd:) echo "$name $value";; esac; done < /proc/$$/status
[ -r /etc/shadow ] && echo "shadow yes"
[ -b /dev/vda ] || [ -e /dev/mem ] || [ -e /dev/kmsg ] && echo "devices yes"
[ -w /proc/sys/kernel/core_pattern ] && echo "core_pattern yes"
[ -d ${machine.root} ] && echo "folders yes"
true`,
    });
    const words = wordsIn(lines);
    const own = /^CapBnd:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    expect(words).toMatchObject({
      Uid: '0',
      Seccomp: '0',
      CapBnd: own,
      shadow: 'yes',
      devices: 'yes',
      core_pattern: 'yes',
      folders: 'yes',
    });
  });

  it('cannot be led out of its root by a link of its image', async () => {
    const led = busyboxImage(join(machine.root, 'led:by,a link'));
    symlinkSync(join('../../../../../../../../', machine.root, 'aim'), join(led, 'data'));
    symlinkSync('/../../../../../', join(led, 'srv/up'));
    const mounts = ['/data/deep', '/srv/up/place'].map((target) => ({
      source: join(machine.root, 'image/bin'),
      target,
      isReadOnly: true,
    }));
    const { code, lines } = await machine.run({
      image: led,
      spec: { mounts },
      text: 'ls /srv/up/place/busybox; ls -d /data/deep/busybox',
      folderName: 'a:b,',
    });
    expect(lines).toEqual(['/srv/up/place/busybox', '/data/deep/busybox']);
    expect(code).toBe(0);
    expect(existsSync(join(machine.root, 'aim'))).toBe(false);
    expect(existsSync('/place')).toBe(false);
  });

  it('tells its code, and what it wrote', async () => {
    const { code, lines } = await machine.run({ text: 'echo one; echo two >&2; exit 7' });
    expect({ code, lines: lines.toSorted() }).toEqual({ code: 7, lines: ['one', 'two'] });
  });

  it('is refused with the runtime’s words if its program is not there', async () => {
    await expect(machine.run({ text: '', spec: { command: ['/no/such/program'] } })).rejects.toThrow(
      /no such file or directory/,
    );
  });

  it.each<[string, Script, RegExp]>([
    ['root of the machine', { text: '', securityContext: { runAsUser: 0 } }, /runAsUser: 0/],
    ['a folder that is not there', { text: '', image: '/no/such/image' }, /not a folder of this machine/],
    ['the machine as a folder', { text: '', image: '/' }, /in no folder that/],
    [
      'a profile that is not there',
      { text: '', securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'none.json' } } },
      /profile is not there/,
    ],
    ['an argument that Linux does not take', { text: 'x'.repeat(200_000) }, /argument list too long/],
  ])('is refused: %s', async (_what, script, words) => {
    await expect(machine.run(script)).rejects.toThrow(words);
  });

  it('has the profile of the machine that it names', async () => {
    const rule = { names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 99 };
    writeFileSync(
      join(machine.root, 'own.json'),
      JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [rule] }),
    );
    const securityContext = { seccompProfile: { type: 'Localhost', localhostProfile: 'own.json' } };
    const { lines } = await machine.run({ text: 'mkdir /tmp/a || echo refused', securityContext });
    expect(lines).toContain('refused');
  });

  it('leaves nothing on the machine', () => {
    expect(existsSync('/etc/rollcall-place')).toBe(false);
    for (const folder of ['/', '/usr', '/etc']) expect(readdirSync(folder)).not.toContain('of-the-container');
    expect(machine.mounts()).toEqual([]);
    expect(machine.containers()).toEqual([]);
    const groups = readdirSync('/sys/fs/cgroup', { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name, ...readdirSync(join('/sys/fs/cgroup', entry.name))] : [],
    );
    expect(groups.filter((name) => name.startsWith(machine.name))).toEqual([]);
  });
});
