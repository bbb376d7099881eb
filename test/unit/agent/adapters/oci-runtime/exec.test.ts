import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPlaces, type Place } from '../../../../../agent/adapters/containers/places.ts';
import { markOf } from '../../../../../agent/adapters/linux/processes.ts';
import type { OciParts } from '../../../../../agent/adapters/oci-runtime/containers/parts.ts';
import type { OciRecord } from '../../../../../agent/adapters/oci-runtime/containers/records.ts';
import { execIn } from '../../../../../agent/adapters/oci-runtime/streams/exec.ts';

const PATIENCE_MS = 60_000;
const PROCESS = { user: { uid: 5, gid: 5 }, args: ['main'], env: ['A=b'], cwd: '/' };

let root: string;
let child: ChildProcess;
let place: Place;
let attempt: string;
/** The groups that were made and that were removed. */
let groups: string[];

/** One that says as what it runs a command, and writes the number of its process. */
const runtime = (): string => {
  const program = join(root, 'runtime');
  const text = `#!/bin/sh
while [ "$1" != exec ]; do shift; done
cat "$3"
echo $$ >"$5"
echo "$3" >>${join(root, 'calls')}
`;
  writeFileSync(program, text, { mode: 0o755 });
  return program;
};

const partsWith = (more: Partial<OciParts> = {}): OciParts => {
  const mark = markOf(child.pid ?? 0) ?? expect.fail('no process');
  const record = { attempt: 'a' } as OciRecord;
  return {
    running: new Map([[place.id, { record, shown: {}, program: mark, keeper: mark }]]),
    programs: { runtime: { program: runtime(), stateFolder: root } },
    agent: {},
    groups: {
      makeBelow: (group: string, name: string) => {
        groups.push(`+ ${group}/${name}`);
        return name;
      },
      removeBelow: (group: string, name: string) => void groups.push(`- ${group}/${name}`),
    },
    ...more,
  } as unknown as OciParts;
};

const filesUsed = (): readonly string[] =>
  readFileSync(join(root, 'calls'), 'utf8').split('\n').filter(Boolean);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-exec-'));
  child = spawn('sleep', ['1000']);
  const places = createPlaces(join(root, 'pods'), '/pods', 'runc');
  place = places.container({ podUid: 'u', name: 'c', restartCount: 0 });
  attempt = join(place.folder, 'a');
  mkdirSync(attempt, { recursive: true });
  writeFileSync(join(attempt, 'config.json'), JSON.stringify({ process: PROCESS }));
  groups = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

it('a command that comes again is written once, and nothing is read of a container that is known to run', async () => {
  const parts = partsWith();
  const expected = { exitCode: 0, output: JSON.stringify({ ...PROCESS, args: ['check'], terminal: false }) };
  expect(await execIn(parts, place, ['check'], PATIENCE_MS)).toEqual(expected);
  const [file = ''] = filesUsed();
  const { ino, mtimeMs } = statSync(file);
  rmSync(join(attempt, 'config.json'));
  for (let times = 0; times < 3; times += 1)
    expect(await execIn(parts, place, ['check'], PATIENCE_MS)).toEqual(expected);
  expect(new Set(filesUsed())).toEqual(new Set([file]));
  expect(statSync(file)).toMatchObject({ ino, mtimeMs });
  expect(readdirSync(attempt)).toEqual([expect.stringMatching(/^process-[0-9a-f]{64}\.json$/)]);
  expect(groups.map((line) => line[0]).join('')).toBe('+-+-+-+-');
  expect(new Set(groups).size).toBe(groups.length);
});

it('other words are another command', async () => {
  const parts = partsWith();
  const answers = [];
  for (const words of [['a', 'b'], ['a b']])
    answers.push((await execIn(parts, place, words, PATIENCE_MS)).output);
  expect(answers.map((output) => JSON.parse(output).args)).toEqual([['a', 'b'], ['a b']]);
  expect(new Set(filesUsed()).size).toBe(2);
});

it('without control groups each command has a mark of its own, and leaves nothing', async () => {
  const parts = partsWith({ agent: { rootless: { uid: 1, gid: 1 } } as OciParts['agent'] });
  const marks = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const { output } = await execIn(parts, place, ['check'], PATIENCE_MS);
    marks.add(JSON.parse(output).env.find((one: string) => one.startsWith('ROLLCALL_COMMAND=')));
  }
  expect(marks.size).toBe(2);
  expect(readdirSync(attempt)).toEqual(['config.json']);
});

it('a command that has ended leaves no timer behind', async () => {
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  const armed = vi.spyOn(globalThis, 'setTimeout');
  await execIn(partsWith(), place, ['check'], PATIENCE_MS);
  await new Promise(setImmediate);
  const left = armed.mock.results
    .map(({ value }) => value)
    .filter((timer) => !cleared.mock.calls.some(([one]) => one === timer));
  expect([armed.mock.calls.length, left.length]).toEqual([2, 0]);
});
