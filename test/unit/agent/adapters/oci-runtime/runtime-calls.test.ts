import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callFault,
  containerState,
  deleteContainer,
  execInContainer,
  killContainer,
  type RuntimePlace,
  runtimeWords,
  startContainer,
  versionOf,
} from '../../../../../agent/adapters/oci-runtime/bundles/runtime-calls.ts';
import { eventually } from '../../../../support/clocks/eventually.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-calls-'));
// The programs of the agent do not keep its process alive.
let alive: NodeJS.Timeout;
beforeAll(() => {
  alive = setInterval(() => undefined, 1000);
});
afterAll(() => {
  clearInterval(alive);
  rmSync(root, { recursive: true, force: true });
});

/** A runtime that runs this script. */
const runtime = (script: string, callMs = 60_000): RuntimePlace => {
  const program = join(mkdtempSync(join(root, 'r-')), 'runtime');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { program, stateFolder: '/s', callMs };
};

const LOG = String.raw`time="2026-01-01" level=error msg="runc: \"a\" failed" extra="b"`;

describe('calls of a runtime', () => {
  it.each<[string, (place: RuntimePlace) => Promise<unknown>, string]>([
    ['start', (place) => startContainer(place, 'i'), '--root /s start i'],
    ['kill', (place) => killContainer(place, 'i', 'TERM'), '--root /s kill i TERM'],
    ['delete', (place) => deleteContainer(place, 'i'), '--root /s delete --force i'],
    [
      'exec',
      (place) => execInContainer(place, 'i', { processFile: '/p', pidFile: '/f', timeoutMs: 60_000 }),
      '--root /s exec --process /p --pid-file /f i',
    ],
  ])('%s', async (_what, work, words) => {
    const place = runtime('echo "$@" > "$0.words"; env > "$0.environment"');
    await work(place);
    expect(readFileSync(`${place.program}.words`, 'utf8')).toBe(`${words}\n`);
    expect(readFileSync(`${place.program}.environment`, 'utf8')).not.toContain('NODE');
  });

  it('fail with the words of the runtime', async () => {
    const place = runtime(`echo '${LOG}' >&2; exit 1`);
    await expect(startContainer(place, 'i')).rejects.toThrow(new Error('start: runc: "a" failed'));
    await expect(killContainer(runtime('exit 4'), 'i', 'KILL')).rejects.toThrow('kill: it ended with code 4');
    await expect(startContainer({ ...place, program: '/no/such' }, 'i')).rejects.toThrow(/start: .*ENOENT/);
  });

  it('that hang are ended, with what they started', async () => {
    const place = runtime('sleep 600 & echo $! > "$0.child"; wait', 2000);
    await expect(deleteContainer(place, 'i')).rejects.toThrow('delete did not end in time');
    const child = readFileSync(`${place.program}.child`, 'utf8').trim();
    const hasEnded = () =>
      !existsSync(`/proc/${child}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
    await eventually('the child of the call has ended', 30_000, async () => hasEnded());
  });

  it.each([
    [`echo '{"status":"running","pid":7,"bundle":"/b"}'`, { status: 'running', pid: 7 }],
    [`echo 'time="x" level=error msg="container does not exist"' >&2; exit 1`, undefined],
    [`echo 'container "i" does not exist: No such file or directory' >&2; exit 1`, undefined],
  ])('state: %s', async (script, expected) => {
    const found = await containerState(runtime(script), 'i');
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });

  it('a state that cannot be read is not “no container”', async () => {
    await expect(containerState(runtime('echo broken >&2; exit 1'), 'i')).rejects.toThrow('state: broken');
    await expect(containerState(runtime('sleep 600', 1000), 'i')).rejects.toThrow('in time');
  });

  it.each([
    [LOG, 'runc: "a" failed'],
    ['plain words\n', 'plain words'],
    ['msg="', 'msg="'],
    ['', ''],
  ])('the words in %s', (text, expected) => {
    expect(runtimeWords(text)).toBe(expected);
  });

  it('have a version', async () => {
    expect(await versionOf(runtime('echo runc version 1.1.5+ds1; echo spec: 1.0.2').program)).toBe(
      '1.1.5+ds1',
    );
    expect(await versionOf(runtime('exit 1').program)).toBe('unknown');
    expect(
      callFault('x', { code: 0, isTimedOut: false, output: Buffer.alloc(0), errorText: 'w' }),
    ).toBeUndefined();
  });
});
