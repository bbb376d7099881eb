/** docs/security.md says what a container can do. Programs in containers of each kind try it: each line is compared. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import {
  type BundleMachine,
  busyboxImage,
  createBundleMachine,
  type Ended,
  missingForBundles,
  type Script,
} from '../../../support/agent/oci/bundle-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: the page about security: ${missing}\n`);

const PATIENCE_MS = 60_000;
const MARK = 'rollcall-page';
/** A folder that every root has. */
const VOLUME = '/mnt';
const USER = { uid: 1500, gid: 1500 };
const CHILD = resolve('test/support/agent/oci/run-as-user.ts');

type Cells = Readonly<Record<string, string>>;

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The table of the page: by the heads of its columns, what each line says. */
const tableOf = (page: string): Readonly<Record<string, Cells>> => {
  const [, section = ''] = page.split('\n## What a container can do\n');
  const [head = [], , ...rows] = (/(^\|.*\n)+/m.exec(section)?.[0] ?? '').trimEnd().split('\n').map(cellsOf);
  const column = (place: number): Cells =>
    Object.fromEntries(rows.map(([line = '', ...cells]) => [line, cells[place] ?? '']));
  return Object.fromEntries(head.slice(1).map((kind, place) => [kind, column(place)]));
};

/** What the probes need to know of the machine. */
interface World {
  readonly machine: BundleMachine;
  /** A folder of the machine that anybody may write to. */
  readonly open: string;
  /** On the machine, of a process of another pod. */
  readonly pid: number;
  /** Of a service at the machine's loopback address. */
  readonly port: number;
}

const CHANGES = 'changes files of the machine, or of its image';

/** Lines of a shell for each line of the table; they succeed if the program can do it. Mounts come last: they hide what is below. */
const probes = ({ open, pid, port }: Omit<World, 'machine'>): Cells => ({
  'is user 0 of the machine': '[ "$uid" = 0 ] && read a b c < /proc/self/uid_map && [ "$b" = 0 ]',
  'gains rights by a set-user-id program': '[ "$noNewPrivileges" = 0 ]',
  'reads files of `/usr`, `/etc` and `/opt` that every user may read': 'first /etc/passwd',
  'reads `/etc/shadow`': 'first /etc/shadow',
  'sees `/var`, `/home`, `/root`, `/run` and `/tmp` of the machine': `for one in ${open} /var/lib/* /home/* /root/* /run/*; do [ -e $one ] && break; done`,
  [CHANGES]: `for place in ${open} /usr /etc /opt /; do touch $place/${MARK} && break; done`,
  'writes to `/tmp` and to its volumes': `touch /tmp/${MARK} && rm /tmp/${MARK} && touch ${VOLUME}/${MARK}`,
  'sees processes outside of the container': `[ -d /proc/${pid} ]`,
  'signals a process of another pod': `kill -0 ${pid}`,
  'reads variables of a process of another pod': `first /proc/${pid}/environ`,
  'changes settings of the kernel (`/proc/sys`)': 'opens /proc/sys/kernel/core_pattern',
  'opens a device of the machine': `mknod ${VOLUME}/device c 1 11 && : < ${VOLUME}/device`,
  'changes limits of control groups':
    'opens /sys/fs/cgroup/memory/memory.limit_in_bytes || opens /sys/fs/cgroup/pids.max',
  'makes a namespace of users': '/bin/busybox unshare -U true',
  'reaches services at the loopback address of the machine': `/bin/busybox nc 127.0.0.1 ${port} < /dev/null`,
  'mounts a file system': '/bin/busybox mount -t tmpfs none /tmp',
});

const scriptOf = (lines: Cells): string => `
opens() { : >> "$1"; }
first() { head=; read head < "$1"; [ -n "$head" ]; }
while read name value more; do case $name in Uid:) uid=$value;; NoNewPrivs:) noNewPrivileges=$value;; esac; done < /proc/self/status
${Object.values(lines)
  .map(
    (line, place) => `if ( ${line} ) >/dev/null 2>&1; then echo "${place} yes"; else echo "${place} no"; fi`,
  )
  .join('\n')}
`;

/** What the programs said of each line. */
const foundIn = (lines: Cells, { lines: said }: Ended): Cells => {
  const words = new Map(said.map((line) => line.split(' ') as [string, string]));
  return Object.fromEntries(
    Object.keys(lines).map((line, place) => [line, words.get(String(place)) ?? 'nothing']),
  );
};

const processWith = (mark: string, uid: number): number | undefined =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const isOf = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nUid:\t${uid}\t`);
        return isOf && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
      } catch {
        return false;
      }
    });

/** The folder of the checkout may be closed to others, and namespaces to all but root. */
const canBeOther = (): boolean =>
  spawnSync(process.execPath, [resolve('cli/rollcall.js'), '--version'], { ...USER, cwd: '/' }).status ===
    0 &&
  spawnSync(findProgram('unshare') ?? 'false', ['--user', '--pid', '--fork', 'true'], { ...USER, cwd: '/' })
    .status === 0;

const isOtherUser = canBeOther();
if (!isOtherUser) process.stdout.write('skipped: the page about security: agents that are not root\n');

describe.runIf(missing === undefined || isComplete)('the page about security', () => {
  const said = tableOf(readFileSync('docs/security.md', 'utf8'));
  let world: World;
  let image: string;
  let server: Server;
  let other: Promise<Ended>;
  let otherPlace: string;

  const newPlace = (): string => {
    const place = mkdtempSync(`${world.machine.root}/volume-`);
    chmodSync(place, 0o777);
    return place;
  };
  const mounting = (source: string) => ({ mounts: [{ source, target: VOLUME, isReadOnly: false }] });

  beforeAll(async () => {
    const machine = createBundleMachine();
    chmodSync(machine.root, 0o755);
    image = busyboxImage(join(machine.root, 'image'));
    const open = join(machine.root, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolved) => server.once('listening', resolved));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    world = { machine, open, port, pid: 0 };
    otherPlace = newPlace();
    other = machine.run({
      text: `while [ ! -e ${VOLUME}/stop ]; do : ${MARK}; sleep 0.2; done`,
      slot: 4,
      spec: mounting(otherPlace),
    });
    const pid = await eventually('a process of another pod', PATIENCE_MS, async () =>
      processWith(MARK, 2_000_000_004),
    );
    world = { ...world, pid };
  });
  afterAll(async () => {
    writeFileSync(join(otherPlace, 'stop'), '');
    await other;
    server.close();
    world.machine.remove();
  });

  /** Whether anything was written where it counts, and is taken away again. */
  const hasChanged = (): boolean => {
    const places = [world.open, '/usr', '/etc', '/opt', '/', image, join(image, 'etc')];
    const changed = places.map((place) => join(place, MARK)).filter((path) => existsSync(path));
    for (const path of changed) rmSync(path);
    return changed.length > 0;
  };

  const tried = async (run: (script: Script) => Promise<Ended>, script: Omit<Script, 'text'>) => {
    const place = newPlace();
    const lines = probes(world);
    const found = foundIn(lines, await run({ ...script, text: scriptOf(lines), spec: mounting(place) }));
    expect(existsSync(join(place, MARK))).toBe(true);
    return { ...found, [CHANGES]: hasChanged() ? 'yes' : 'no' };
  };

  const runAsUser = async (script: Script): Promise<Ended> => {
    const home = mkdtempSync(join(tmpdir(), 'rollcall-user-'));
    chownSync(home, USER.uid, USER.gid);
    try {
      const env = { PATH: process.env['PATH'], TMPDIR: home };
      const stdio = ['pipe', 'pipe', 'inherit'] as const;
      const child = spawn(process.execPath, [CHILD], { ...USER, env, cwd: '/', stdio: [...stdio] });
      child.stdin?.end(JSON.stringify(script));
      return (await json(child.stdout ?? process.stdin)) as Ended;
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  };

  it.each<[string, () => Omit<Script, 'text'>]>([
    ['`host`', () => ({})],
    ['with `hostPID`', () => ({ podSpec: { hostPID: true } })],
    ['a folder', () => ({ image })],
    ['`privileged`', () => ({ securityContext: { privileged: true }, podSpec: { hostPID: true } })],
  ])('says what a container can do: %s', async (kind, script) => {
    expect(await tried(world.machine.run, script())).toEqual(said[kind]);
  });

  it.runIf(isOtherUser)('says what a container can do whose agent is not root', async () => {
    expect(await tried(runAsUser, {})).toEqual(said['agent not root']);
  });

  it('names no other kind', () => {
    expect(Object.keys(said)).toEqual([
      '`host`',
      'with `hostPID`',
      'a folder',
      '`privileged`',
      'agent not root',
    ]);
  });

  it('says what root of a folder adds to hostPID: signals', async () => {
    expect(await tried(world.machine.run, { image, podSpec: { hostPID: true } })).toEqual({
      ...said['a folder'],
      'sees processes outside of the container': 'yes',
      'signals a process of another pod': 'yes',
    });
  });

  it('says it of containers that name a user and add all capabilities, too, to which their calls are open', async () => {
    const securityContext = { runAsUser: 1500, runAsGroup: 1500, capabilities: { add: ['ALL'] } };
    expect(await tried(world.machine.run, { securityContext })).toEqual({
      ...said['`host`'],
      'makes a namespace of users': 'yes',
    });
  });
});
