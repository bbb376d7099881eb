import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  conmonArguments,
  createContainer,
  type KeeperPlan,
  keeperPid,
} from '../../../../../agent/adapters/oci-runtime/bundles/conmon.ts';
import { eventually } from '../../../../support/clocks/eventually.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-conmon-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PLAN: KeeperPlan = {
  program: '/usr/bin/conmon',
  runtime: { program: '/usr/sbin/runc', stateFolder: '/s', callMs: 60_000 },
  id: 'i',
  attempt: '/a',
  logFile: '/l',
  groupFiles: [],
};
const input = { hasInput: false, isTerminal: false, endsWithClient: false };

/** A conmon that runs this script. */
const planOf = (script: string, more: Partial<KeeperPlan> = {}): KeeperPlan => {
  const attempt = mkdtempSync(join(root, 'a-'));
  const program = join(attempt, 'conmon');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...PLAN, program, attempt, ...more };
};

describe('the words of conmon', () => {
  it('are paths and ids', () => {
    expect(conmonArguments(PLAN).join(' ')).toBe(
      '--api-version 1 -c i -u i -n i -r /usr/sbin/runc --runtime-arg --root=/s -b /a -p /a/pid -P /a/conmon.pid -l k8s-file:/l --exit-dir /a/exits --persist-dir /a --full-attach --no-sync-log',
    );
  });

  it.each<[Partial<KeeperPlan>, string]>([
    [
      { mostLogBytes: 40 },
      '-l k8s-file:/l --log-size-max 40 --exit-dir /a/exits --persist-dir /a --full-attach --no-sync-log',
    ],
    [{ input: { ...input, hasInput: true } }, '--no-sync-log -i --leave-stdin-open'],
    [{ input: { ...input, hasInput: true, endsWithClient: true } }, '--no-sync-log -i'],
    [{ input: { ...input, isTerminal: true } }, '--no-sync-log -t'],
    [
      { input: { hasInput: true, isTerminal: true, endsWithClient: false } },
      '--no-sync-log -t -i --leave-stdin-open',
    ],
  ])('%j: end in %s', (more, end) => {
    expect(
      conmonArguments({ ...PLAN, ...more })
        .join(' ')
        .endsWith(end),
    ).toBe(true);
  });
});

describe('a container below conmon', () => {
  it('is known by its pid, though the pipe stays open', async () => {
    const plan = planOf(`sleep 600 & echo $! > "$0.child"; echo '{"data": 4711}' >&3`);
    expect(await createContainer(plan)).toBe(4711);
    process.kill(Number(readFileSync(`${plan.program}.child`, 'utf8')));
  });

  it.each([
    [
      'the runtime’s message',
      String.raw`printf '{"data":-1,"message":"time=\\"x\\" level=error msg=\\"runc create failed: exec: \\\\\\"a\\\\\\": not found\\""}\n' >&3`,
      'runc create failed: exec: "a": not found',
    ],
    [
      'a message without a log’s form',
      `printf '%s\\n' '{"data":-1,"message":"odd\\nwords\\n"}' >&3`,
      String.raw`odd\nwords`,
    ],
    ['no message', `echo '{"data":-1}' >&3`, 'the runtime has failed'],
    ['an answer that is none', 'echo odd >&3', 'conmon answered: odd'],
    [
      'what it said instead',
      'echo no such option >&2; exit 1',
      'conmon ended without an answer: no such option',
    ],
    ['no answer', 'exit 0', 'conmon ended without an answer'],
    [
      'an answer without end',
      'yes x | tr -d "\\n" | head -c 200000 >&3 2>/dev/null; sleep 1',
      'conmon ended without an answer',
    ],
  ])('tells %s', async (_what, script, words) => {
    await expect(createContainer(planOf(script))).rejects.toThrow(new Error(words));
  });

  it('tells no path of the bundle', async () => {
    const plan = planOf(`printf '{"data":-1,"message":"open %s/rootfs: no"}\\n' "$(dirname "$0")" >&3`);
    await expect(createContainer(plan)).rejects.toThrow(new Error('open /rootfs: no'));
  });

  it('has no other descriptor than those of the protocol, and nothing of the agent’s environment', async () => {
    const plan = planOf(`ls -1 /proc/$$/fd > "$0.files"; env > "$0.environment"; echo '{"data": 1}' >&3`);
    await createContainer(plan);
    // The shell has its script open, at a number from 10 on.
    const files = readFileSync(`${plan.program}.files`, 'utf8').trim().split('\n').map(Number);
    expect(new Set(files.filter((file) => file < 10))).toEqual(new Set([0, 1, 2, 3]));
    const names = readFileSync(`${plan.program}.environment`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    // The shell adds these.
    const own = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
    expect(new Set(names.filter((name) => !own.has(name ?? '')))).toEqual(new Set(['PATH', '_OCI_SYNCPIPE']));
  });

  it('belongs to the groups before it runs, and does not run without them', async () => {
    const group = join(root, 'cgroup.procs');
    const plan = planOf(`cat "${group}" > "$0.group"; echo '{"data": 1}' >&3`, {
      groupFiles: [group, `${group}.2`],
    });
    await createContainer(plan);
    expect(Number(readFileSync(`${plan.program}.group`, 'utf8'))).toBeGreaterThan(1);
    const refused = planOf('touch "$0.ran"', { groupFiles: [join(root, 'no', 'cgroup.procs')] });
    await expect(createContainer(refused)).rejects.toThrow(/without an answer: .*cgroup\.procs/);
    expect(existsSync(`${refused.program}.ran`)).toBe(false);
  });

  it('that does not begin in time is ended with its group', async () => {
    const script = `setsid sh -c 'echo $$ > "$0"; sleep 600 & echo $! > "$1"; wait' "$(dirname "$0")/conmon.pid" "$0.child" "$(dirname "$0")" &`;
    const plan = planOf(script, { runtime: { ...PLAN.runtime, callMs: 2000 } });
    await expect(createContainer({ ...plan })).rejects.toThrow('in time');
    await eventually('conmon has ended', 30_000, async () => (await keeperPid(plan.attempt)) === undefined);
    const child = readFileSync(`${plan.program}.child`, 'utf8').trim();
    await eventually(
      'its child has ended',
      30_000,
      async () =>
        !existsSync(`/proc/${child}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8')),
    );
  });

  it('cannot have a log whose path conmon cuts', async () => {
    await expect(createContainer(planOf('', { logFile: '/a:b/log' }))).rejects.toThrow('colon');
  });

  it('that ended is not taken for another program with its number', async () => {
    const { attempt } = planOf('');
    expect(await keeperPid(attempt)).toBeUndefined();
    for (const text of ['', 'x', '-1', '0', String(process.pid)]) {
      writeFileSync(join(attempt, 'conmon.pid'), text);
      expect(await keeperPid(attempt)).toBeUndefined();
    }
  });
});
