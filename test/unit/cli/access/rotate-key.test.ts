import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { createFolderSigningKeys } from '../../../../host/folder/signing-keys.ts';
import { issueToken, readToken } from '../../../../shared/apiserver/access/authentication.ts';
import { pathsOf } from '../../../../shared/serving/machine/files.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-keys-'));
  now = START;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The API's answer to who uses a key. */
let users: readonly { readonly name: string; readonly lastUseTime: string }[];
let waited: number[];
beforeEach(() => {
  users = [];
  waited = [];
});

const run = (line: string, world: Partial<CommandContext> = {}) =>
  runCommandLine(line, {
    now: () => now,
    wait: async (ms) => {
      waited.push(ms);
      now += ms;
    },
    readFile: (path) => readFile(path, 'utf8'),
    fetch: async () => Response.json({ status: { users } }),
    ...world,
  });

/** Writes the record and the CA as a host does. */
const leaveRecord = () => {
  const paths = pathsOf(folder);
  writeFileSync(paths.host, JSON.stringify({ url: 'https://localhost:1', clusterId: 'rollcall' }));
  writeFileSync(paths.caCertificate, 'pem');
};

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
  const { code, complaint } = await run(`rotate-key ${step} --folder ${folder}`);
  now += 10_000;
  return code === 0 ? 0 : complaint;
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
    leaveRecord();
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

describe('the steps of a rotation', () => {
  const step = (line: string, world: Partial<CommandContext> = {}) =>
    run(`rotate-key ${line} --folder ${folder}`, world);

  beforeEach(() => {
    anAuthority();
    leaveRecord();
  });

  it('wait only until the host has read the keys', async () => {
    await step('prepare');
    await step('use');
    expect(waited).toEqual([2_000]);
    now += 1_500;
    await step('retire');
    expect(waited).toEqual([2_000, 500]);
  });

  it('wait no longer than that if the clock was set back after the last step', async () => {
    await step('prepare');
    now -= 365 * 86_400_000;
    expect((await step('use')).code).toBe(0);
    expect(waited).toEqual([2_000]);
  });

  it('stop when somebody else changes the keys while they wait', async () => {
    await step('prepare');
    const other = async () => {
      const { signingKey } = pathsOf(folder);
      const keys = JSON.parse(await readFile(signingKey, 'utf8')) as object;
      writeFileSync(signingKey, JSON.stringify({ ...keys, changedAt: 'now' }));
    };
    const { code, complaint } = await step('use', { wait: other });
    expect([code, complaint]).toEqual([1, expect.stringMatching(/somebody else changed the keys/)]);
  });

  it("replace the tokens in the host's folder by tokens signed with the new key", async () => {
    await step('prepare');
    const { printed } = await step('use');
    const authority = anAuthority();
    const token = (await readFile(pathsOf(folder).adminToken, 'utf8')).trim();
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as {
      kid: string;
    };
    expect(header.kid).toBe((await authority.signingKeys.current()).kid);
    expect(await readFile(pathsOf(folder).kubeconfig, 'utf8')).toContain(token);
    expect(printed).toContain('have new tokens');
  });

  it('do not retire a key that is in use, and list its users', async () => {
    await step('prepare');
    await step('use');
    users = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((name) => ({
      name,
      lastUseTime: '2026-03-01T12:00:00Z',
    }));
    const refused = await step('retire');
    expect(refused.code).toBe(1);
    expect(refused.complaint).toMatch(
      /used by 6 users: n1 \(last at .*and 1 more.*retire --folder .* --force$/s,
    );
    expect((await step('status')).printed).toMatch(/6 users.*next: npx rollcall rotate-key retire --folder/s);
    expect((await step('retire --force')).printed).toMatch(/are void/);
    expect((await step('status')).printed).toMatch(/signs\nnext: .*prepare/);
  });

  it('do not retire a key while the API does not answer', async () => {
    await step('prepare');
    await step('use');
    const away = async () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }));
    const { code, complaint } = await step('retire', { fetch: away });
    expect([code, complaint]).toEqual([
      1,
      expect.stringMatching(/cannot ask the API .*ECONNREFUSED.*--force/s),
    ]);
  });

  it.each([
    [['prepare'], 'prepare', /is prepared already; next: .*use/],
    [['prepare'], 'retire', /does not sign yet; first: .*use/],
  ])('have an order: after %j, %s is refused', async (done, next, complaint) => {
    for (const one of done) await step(one);
    const refused = await step(next);
    expect([refused.code, refused.complaint]).toEqual([1, expect.stringMatching(complaint)]);
  });
});

describe('rollcall rotate-key', () => {
  it('uses no key before one is prepared', async () => {
    anAuthority();
    const { code, complaint } = await run(`rotate-key use --folder ${folder}`);
    expect([code, complaint]).toEqual([1, expect.stringMatching(/first: .*prepare/)]);
  });

  it.each(['rotate-key', 'rotate-key sideways', 'rotate-key use retire'])(
    '%s is refused as a mistake in the command line',
    async (line) => {
      expect((await run(line)).code).toBe(2);
    },
  );

  it('says that a folder has no keys', async () => {
    const { code, complaint } = await run(`rotate-key prepare --folder ${folder}/none`);
    expect([code, complaint]).toEqual([1, expect.stringMatching(/no host is running in .*none: start it/)]);
  });

  it('writes the secret of the stack, also if Secrets Manager generated its first key', async () => {
    const written: [string, string][] = [];
    const world = {
      stackOutputs: async () => ({ SigningKeySecretArn: 'arn:1' }),
      readSecret: async () => JSON.stringify({ kid: 'k1', secret: 'x'.repeat(64) }),
      writeSecret: async (arn: string, text: string) => {
        written.push([arn, text]);
      },
    };
    const { code: done, printed } = await run('rotate-key prepare --stack Mine', world);
    expect([done, printed]).toEqual([0, expect.stringMatching(/rotate-key use --stack Mine$/)]);
    const [[arn, text] = ['', '{}']] = written;
    const stored = JSON.parse(text) as { readonly current: string; readonly keys: object };
    expect([arn, stored.current, Object.keys(stored.keys).length]).toEqual(['arn:1', 'k1', 2]);
  });

  it('has the API publish a key of a stack before it signs', async () => {
    const order: string[] = [];
    await run('rotate-key use --force --stack Mine', {
      stackOutputs: async () => ({ SigningKeySecretArn: 'arn:1', ApiUrl: 'https://api.test' }),
      readSecret: async () =>
        JSON.stringify({ current: 'k1', keys: { k1: 'x'.repeat(64), k2: 'y'.repeat(64) } }),
      writeSecret: async () => void order.push('write'),
      fetch: async () => {
        order.push('ask');
        return Response.json({ status: { users: [] } });
      },
    });
    expect(order).toEqual(['ask', 'write']);
  });

  it.each([
    ['asked', async () => Response.json({ status: { users: [] } }), /^waiting for 70 s/],
    ['told of if it does not answer', async () => Promise.reject(new Error('gone')), /did not answer/],
  ])('retires a key of a stack when the API, which publishes the keys, is %s', async (_, fetch, said) => {
    const secret = 'x'.repeat(64);
    const order: string[] = [];
    const { code, printed, complaint } = await run('rotate-key retire --force --stack Mine', {
      stackOutputs: async () => ({ SigningKeySecretArn: 'arn:1', ApiUrl: 'https://api.test' }),
      readSecret: async () => JSON.stringify({ current: 'k2', keys: { k1: secret, k2: secret } }),
      writeSecret: async () => void order.push('write'),
      wait: async (ms) => void order.push(`wait ${ms}`),
      fetch: async () => {
        order.push('ask');
        return fetch();
      },
    });
    expect(order).toEqual(['write', 'wait 70000', 'ask']);
    expect([code, printed]).toEqual([0, expect.stringMatching(/tokens of k1 are void/)]);
    expect(complaint).toMatch(said);
  });
});
