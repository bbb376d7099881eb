/** The trial that finds out whether this machine isolates containers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import { tryRuntimes } from '../../../../agent/adapters/oci-runtime/trial.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: the trial of a real runc: ${missing}\n`);

const STEP_MS = 60_000;

/** Lines of a shell that run `work` on the `config.json` of the bundle that is created. */
const onConfig = (work: string): string =>
  `for one; do if [ "$last" = --bundle ]; then config=$one/config.json; fi; last=$one; done
if [ -n "$config" ]; then ${work}; fi`;

/** `nobody` of every Linux. */
const USER = { uid: 65_534, gid: 65_534 };

/** The folder of the checkout may be closed to others, and namespaces to all but root. */
const canBeOther = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [resolve('cli/rollcall.js'), '--version'], { ...USER, cwd: '/' }).status ===
    0 &&
  spawnSync(findProgram('unshare') ?? 'false', ['--user', '--pid', '--fork', 'true'], { ...USER, cwd: '/' })
    .status === 0;

describe.runIf(missing === undefined && canBeOther())('the trial of a user who is not root', () => {
  it('finds a runtime with a namespace of users', () => {
    const home = mkdtempSync(join(tmpdir(), 'rollcall-home-'));
    chownSync(home, USER.uid, USER.gid);
    const words = ['doctor', '--agent', '--only', 'isolation', '--output', 'json'];
    const env = { PATH: process.env['PATH'], HOME: home };
    const { stdout } = spawnSync(process.execPath, [resolve('cli/rollcall.js'), ...words], {
      ...USER,
      cwd: '/',
      env,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'ok',
      checks: [{ check: 'isolation', words: expect.stringContaining('conmon') }],
    });
    expect(readdirSync(home)).toEqual([]);
    rmSync(home, { recursive: true });
  });
});

describe.runIf(missing === undefined || isComplete)('the trial of a runtime', () => {
  let folder: string;
  let programs: string;

  /** Of trials of these programs; other programs of this machine may try a container meanwhile. */
  const trialGroups = (pids: readonly (number | undefined)[]): readonly string[] =>
    readdirSync('/sys/fs/cgroup', { withFileTypes: true })
      .flatMap((entry) =>
        entry.isDirectory() ? [entry.name, ...readdirSync(join('/sys/fs/cgroup', entry.name))] : [],
      )
      .filter((name) => pids.some((pid) => name.startsWith(`rollcall-trial-${pid}-`)));

  beforeAll(() => {
    programs = mkdtempSync(join(tmpdir(), 'rollcall-programs-'));
  });
  afterAll(() => rmSync(programs, { recursive: true }));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-trial-test-'));
  });
  afterEach(() => {
    expect(readdirSync(folder)).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    expect(trialGroups([process.pid])).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  /** A program of this name: the real one after these lines. */
  const program = (name: string, lines: string): string => {
    const path = join(programs, `${name}-${readdirSync(programs).length}`);
    writeFileSync(path, `#!/bin/bash\n${lines}\nexec ${findProgram('runc') ?? 'false'} "$@"\n`, {
      mode: 0o755,
    });
    return path;
  };

  const trialWith = (found: Readonly<Record<string, string | undefined>>, stepMs = STEP_MS) =>
    tryRuntimes({ folder, stepMs, find: (name) => (name in found ? found[name] : findProgram(name)) });

  const isBegun = (): boolean =>
    readdirSync(folder).some((name) => readdirSync(join(folder, name, 'state')).length > 0);
  /** Makes the group as a runtime does, and then nothing for long. */
  const SLOW = `root=/sys/fs/cgroup; [ -d $root/pids ] && root=$root/pids
case " $* " in *" create "*) for id; do :; done; mkdir "$root/$id"; sleep 600;; esac`;

  it.each<[string, string, (pid: number | undefined) => boolean]>([
    ['while it tried a container', '', isBegun],
    ['while the runtime made a container', SLOW, (pid) => trialGroups([pid]).length > 0],
  ])('takes away what a program has left that was killed %s', async (_when, lines, isTime) => {
    const runc = program('runc', lines);
    const source = `import { tryRuntimes } from '${resolve('agent/adapters/oci-runtime/trial.ts')}';
import { findProgram } from '${resolve('agent/adapters/linux/find-program.ts')}';
const find = (name) => (name === 'runc' ? '${runc}' : findProgram(name));
await tryRuntimes({ folder: process.argv[1], stepMs: ${STEP_MS}, find });`;
    const words = ['--input-type=module', '--eval', source, folder];
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    await eventually('a container is begun', STEP_MS, async () => isTime(child.pid), { everyMs: 10 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(folder)).toHaveLength(1);
    expect(await tryRuntimes({ folder, stepMs: STEP_MS })).toHaveProperty('runtime');
    expect(spawnSync('pgrep', ['-f', folder]).stdout.toString()).toBe('');
    expect(trialGroups([child.pid])).toEqual([]);
  });

  it('finds the runtime of this machine, and leaves nothing', async () => {
    const trial = await trialWith({});
    expect(trial).toEqual({
      runtime: expect.objectContaining({
        name: 'runc',
        hasOverlays: true,
        version: expect.stringMatching(/^\d+\.\d+/),
      }),
    });
  });

  it.each<[string, Readonly<Record<string, string | undefined>>, readonly string[]]>([
    ['no runtime', { runc: undefined, crun: undefined }, ['neither runc nor crun is there']],
    ['no conmon', { conmon: undefined }, ['conmon is not there']],
  ])('names what is missing: %s', async (_what, found, faults) => {
    expect(await trialWith(found)).toEqual({ faults });
  });

  it('takes the second runtime if the first fails', async () => {
    const broken = program(
      'broken',
      'case " $* " in *" create "*) echo \'msg="broken here"\' >&2; exit 1;; esac',
    );
    const trial = await trialWith({ runc: broken, crun: findProgram('runc') });
    expect(trial).toMatchObject({ runtime: { name: 'crun', program: findProgram('runc') } });
  });

  it.each([
    ['create', 'broken here', /broken here/],
    ['start', 'no start', /start: no start/],
    ['exec', 'no exec', /exec: no exec/],
    ['kill', 'no kill', /kill: no kill/],
  ])('tells the words of a runtime that fails at %s', async (step, words, expected) => {
    const broken = program(step, `case " $* " in *" ${step} "*) echo 'msg="${words}"' >&2; exit 1;; esac`);
    const trial = await trialWith({ runc: broken, crun: undefined });
    expect(trial).toEqual({ faults: [expect.stringMatching(expected)] });
  });

  it.each(['create', 'start', 'exec'])('does not wait for a runtime that hangs at %s', async (step) => {
    const hanging = program(step, `case " $* " in *" ${step} "*) sleep 600;; esac`);
    const trial = await trialWith({ runc: hanging, crun: undefined }, 3000);
    expect(trial).toEqual({ faults: [expect.stringMatching(/in time/)] });
  });

  it('does without overlays where there are none', async () => {
    const lines = onConfig(
      `if grep -q '"type":"overlay"' "$config"; then echo 'msg="mounting an overlay: not here"' >&2; exit 1; fi`,
    );
    const trial = await trialWith({ runc: program('flat', lines), crun: undefined });
    expect(trial).toMatchObject({ runtime: { hasOverlays: false } });
  });

  it('finds out that system calls are not filtered', async () => {
    const lines = onConfig(`sed -i 's/"seccomp":/"nothing":/' "$config"`);
    const trial = await trialWith({ runc: program('open', lines), crun: undefined });
    expect(trial).toEqual({ faults: [expect.stringContaining('no system call is filtered')] });
  });
});
