import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgramsCheck } from '../../../../../agent/adapters/oci-runtime/programs-check.ts';
import type { Trial, WorkingRuntime } from '../../../../../agent/adapters/oci-runtime/trial.ts';

let folder: string;
let first: WorkingRuntime;
let trials: Trial[];
let tries: number;
let now: number;

const checkOf = () =>
  createProgramsCheck({
    first,
    tryAgain: async () => {
      tries += 1;
      return trials.shift() ?? { faults: ['there was one trial too many'] };
    },
    uptime: () => now,
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-programs-'));
  const [program, conmon] = [join(folder, 'runc'), join(folder, 'conmon')];
  for (const path of [program, conmon]) writeFileSync(path, '1');
  const shared = { program, conmon, conmonVersion: '2', hasOverlays: true, unseen: [] };
  first = { ...shared, name: 'runc', version: '1.1' };
  [trials, tries, now] = [[], 0, 0];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the programs of a runtime', () => {
  it('are not tried as long as their files are those that passed', async () => {
    const check = checkOf();
    now = 1e9;
    expect(await check.fault()).toBeUndefined();
    expect([tries, check.version()]).toEqual([0, '1.1']);
  });

  it('are tried once when they were updated, and have the new version', async () => {
    const check = checkOf();
    writeFileSync(first.program, 'updated');
    trials = [{ runtime: { ...first, version: '1.2' } }];
    expect(await check.fault()).toBeUndefined();
    expect(await check.fault()).toBeUndefined();
    expect([tries, check.version()]).toEqual([1, '1.2']);
  });

  it('do not work while one of them is not there, and are tried when it is again', async () => {
    const check = checkOf();
    rmSync(first.conmon);
    expect(await check.fault()).toBe(`${first.conmon} is not there`);
    writeFileSync(first.conmon, 'again');
    trials = [{ runtime: first }];
    expect(await check.fault()).toBeUndefined();
    expect(tries).toBe(1);
  });

  it('that fail are tried again after a minute, or when they change', async () => {
    const check = checkOf();
    writeFileSync(first.program, 'broken');
    trials = [{ faults: ['runc 1.2: create: it broke'] }, { faults: ['again'] }, { runtime: first }];
    expect(await check.fault()).toBe('runc 1.2: create: it broke');
    now = 59_999;
    expect(await check.fault()).toBe('runc 1.2: create: it broke');
    now = 60_000;
    expect(await check.fault()).toBe('again');
    writeFileSync(first.program, 'repaired');
    expect(await check.fault()).toBeUndefined();
    expect([tries, check.version()]).toEqual([3, '1.1']);
  });

  it('are not exchanged for others under containers that run', async () => {
    const check = checkOf();
    writeFileSync(first.program, 'broken');
    trials = [{ runtime: { ...first, name: 'crun', program: '/usr/bin/crun', version: '9' } }];
    expect(await check.fault()).toContain('/usr/bin/crun and ');
    expect(check.version()).toBe('1.1');
  });
});
