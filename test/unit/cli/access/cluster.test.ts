import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64url');
const KEYS = JSON.stringify({ current: 'of-the-host', keys: { 'of-the-host': SECRET } });
const OTHER = JSON.stringify({ kid: 'of-the-stack', secret: 'x'.repeat(64) });
const OUTPUTS = {
  SigningKeySecretArn: 'arn',
  ApiUrl: 'https://api.example/',
  HeartbeatUrl: 'https://beats.example/',
};

describe('the cluster that a command works on', () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall's-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const record = {
    url: 'https://127.0.0.1:4711',
    host: '127.0.0.1',
    port: 4711,
    clusterId: 'blue',
    timeFactor: 1,
    nodeLifecycle: NODE_LIFECYCLE_DEFAULTS,
  };
  writeFileSync(join(folder, 'signing-key.json'), KEYS);
  writeFileSync(join(folder, 'ca.crt'), 'the CA');

  const run = (line: string, isRunning: boolean, world: Partial<CommandContext> = {}) => {
    const pid = isRunning ? { pid: process.pid } : {};
    writeFileSync(join(folder, 'host.json'), JSON.stringify({ ...record, ...pid }));
    return runCommandLine(line, {
      env: { ROLLCALL_FOLDER: folder, AWS_REGION: 'eu-central-1' },
      readFile: async (path) => readFileSync(path, 'utf8'),
      readSecret: async () => OTHER,
      stackOutputs: async () => OUTPUTS,
      ...world,
    });
  };
  const keyOf = ({ printed }: { readonly printed: string }): string =>
    JSON.parse(Buffer.from(printed.split('.')[0] ?? '', 'base64url').toString()).kid;

  it.each([
    ['token --admin', true, 'of-the-host'],
    ['token --admin', false, 'of-the-stack'],
    ['token --admin --stack Rollcall', true, 'of-the-stack'],
    ['token --admin --secret-arn arn', true, 'of-the-stack'],
  ])('%o, while the host runs: %s, signs with the key %s', async (line, isRunning, key) =>
    expect(keyOf(await run(line, isRunning))).toBe(key),
  );

  it('is the host of the given folder, even if that host is stopped', async () =>
    expect(keyOf(await run(`token --viewer --folder ${folder}`, false))).toBe('of-the-host'));

  it('has its CA certificate printed as a path by --ca, unless it is a stack', async () => {
    expect((await run('token --ca', true)).printed).toBe(join(folder, 'ca.crt'));
    const ofStack = await run('token --ca --stack Rollcall', true);
    expect([ofStack.code, ofStack.complaint]).toEqual([1, expect.stringContaining('only a host has')]);
  });

  it("is asked for a node's token, and its certificate authority is trusted", async () => {
    const asked: unknown[] = [];
    const fetch: CommandContext['fetch'] = async (url, init) => {
      asked.push(url, init?.ca);
      return new Response('{"status":{"token":"its-token"}}', { status: 201 });
    };
    expect((await run('token --node m1', true, { fetch })).printed).toBe('its-token');
    expect(asked).toEqual(['https://127.0.0.1:4711/apis/rollcall.dev/v1/nodes/m1/token', 'the CA']);
  });

  it('is printed by env as shell variables, in quotes', async () => {
    const { printed } = await run('env', true);
    expect(printed.split('\n')).toEqual([
      "API='https://127.0.0.1:4711'",
      "HEARTBEAT='https://127.0.0.1:4711'",
      `CACERT='${join(folder, 'ca.crt').replaceAll("'", String.raw`'\''`)}'`,
      expect.stringMatching(/^TOKEN='[\w-]+\.[\w-]+\.[\w-]+'$/),
    ]);
    expect((await run('env', false)).printed).toMatch(
      /^API='https:\/\/api\.example'\nHEARTBEAT='https:\/\/beats\.example'\nCACERT=''\nTOKEN='/,
    );
  });
});
