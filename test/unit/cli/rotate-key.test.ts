import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../cli/command.ts';
import { pathsOf } from '../../../local/files.ts';
import { createFolderSigningKeys } from '../../../local/signing-keys.ts';
import { issueToken, readToken } from '../../../shared/apiserver/authentication.ts';
import { runCommandLine } from '../../support/command-line.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-keys-'));
  now = START;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (line: string, world: Partial<CommandContext> = {}) =>
  runCommandLine(line, { now: () => now, readFile: (path) => readFile(path, 'utf8'), ...world });

const notices: string[] = [];
const anAuthority = () => {
  const signingKeys = createFolderSigningKeys({
    paths: pathsOf(folder),
    clock: { now: () => now },
    onNotice: (notice) => notices.push(notice),
  });
  return { signingKeys, clusterId: 'rollcall' };
};

type Authority = ReturnType<typeof anAuthority>;

const tokenOf = (authority: Authority) =>
  issueToken(authority, { name: 'ann', groups: [], issuedAt: now, expiresAt: now + 3_600_000 });

const rotate = async (step: string) => {
  const { code } = await run(`rotate-key ${step} --folder ${folder}`);
  now += 10_000;
  return code;
};

const isValid = async (token: string, authority: Authority): Promise<boolean> => {
  try {
    await readToken(token, authority, now);
    return true;
  } catch {
    return false;
  }
};

describe('a key that is rotated while the host runs', () => {
  it('stays valid until it is retired, and the new one is valid before it signs', async () => {
    const authority = anAuthority();
    const old = await tokenOf(authority);
    expect(await rotate('prepare')).toBe(0);
    expect(await isValid(old, authority)).toBe(true);
    const before = (await authority.signingKeys.current()).kid;
    await rotate('use');
    const fresh = await tokenOf(authority);
    expect((await authority.signingKeys.current()).kid).not.toBe(before);
    expect([await isValid(old, authority), await isValid(fresh, authority)]).toEqual([true, true]);
    await rotate('retire');
    expect([await isValid(old, authority), await isValid(fresh, authority)]).toEqual([false, true]);
  });

  it('is not replaced by a damaged file', async () => {
    const authority = anAuthority();
    const token = await tokenOf(authority);
    writeFileSync(pathsOf(folder).signingKey, '{');
    now += 10_000;
    expect(await isValid(token, authority)).toBe(true);
    expect(notices.at(-1)).toMatch(/^the signing keys stay as they were/);
  });
});

describe('rollcall rotate-key', () => {
  it('uses no key before one is prepared', async () => {
    anAuthority();
    const { code, complaint } = await run(`rotate-key use --folder ${folder}`);
    expect([code, complaint]).toEqual([1, expect.stringMatching(/prepare first/)]);
  });

  it.each(['rotate-key', 'rotate-key sideways', 'rotate-key use retire'])(
    '%s is not understood',
    async (line) => {
      expect((await run(line)).code).toBe(2);
    },
  );

  it('says that a folder has no keys', async () => {
    const { code, complaint } = await run(`rotate-key prepare --folder ${folder}/none`);
    expect([code, complaint]).toEqual([1, expect.stringMatching(/cannot read the signing keys/)]);
  });

  it('writes the secret of the stack, also one that was generated', async () => {
    const written: [string, string][] = [];
    const world = {
      stackOutputs: async () => ({ SigningKeySecretArn: 'arn:1' }),
      readSecret: async () => JSON.stringify({ kid: 'k1', secret: 'x'.repeat(64) }),
      writeSecret: async (arn: string, text: string) => {
        written.push([arn, text]);
      },
    };
    expect((await run('rotate-key prepare --stack Mine', world)).code).toBe(0);
    const [[arn, text] = ['', '{}']] = written;
    const stored = JSON.parse(text) as { readonly current: string; readonly keys: object };
    expect([arn, stored.current, Object.keys(stored.keys).length]).toEqual(['arn:1', 'k1', 2]);
  });
});
