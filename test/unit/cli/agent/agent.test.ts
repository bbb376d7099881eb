import { describe, expect, it } from 'vitest';
import { joinLine } from '../../../../cli/access/join-line.ts';
import { defaultRoot, pemOf, readAgentArguments } from '../../../../cli/agent/agent-options.ts';
import { agentStatusIn, statusText } from '../../../../cli/agent/agent-status.ts';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const PEM = `-----BEGIN CERTIFICATE-----\n${Buffer.alloc(60, 0x30).toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
const context = {
  env: {},
  readFile: async (path: string) => (path === 'ca' ? PEM : `text of ${path}\n`),
  readFirstLine: async (path: string) => `line of ${path}`,
} as unknown as CommandContext;
const read = (line: string) => readAgentArguments(line.split(' '), 'Usage: rollcall agent', context);

describe('rollcall agent', () => {
  it.each([
    ['agent', 'say what to do, such as run'],
    ['agent fly', 'there is no "agent fly"'],
    ['agent run', 'give the address of the API with --server'],
    ['agent run --server x', '--server x is no URL'],
    ['agent run --server https://x --node-lables a=b', 'did you mean --node-labels?'],
    ['agent run --server https://x --token a', 'no option --token: other users of the machine read the arg'],
    ['agent install --server https://x --token=a', '| rollcall agent run … --bootstrap-token-file -'],
    ['agent run --server https://x --ca a --ca-data b', 'either --ca or --ca-data'],
    ['agent run --server https://x --ca-data b', '--ca-data is no certificate'],
    ['agent run --server https://x --token-ttl 5', '--token-ttl 5 is not a duration'],
    ['agent run --server https://x --cloud-provider aws', 'write external'],
  ])('%s is a mistake in the command line', async (line, complaint) => {
    const run = await runCommandLine(line, { readFile: context.readFile });
    expect([run.code, run.complaint]).toEqual([2, expect.stringContaining(complaint)]);
  });

  it('reads the files that are named, and a flag of the kubelet without a value', async () => {
    const given = await read(
      '--server https://a:1 --ca ca --bootstrap-token-file t --config k --register-node --token-ttl 2h',
    );
    expect(given).toMatchObject({
      server: 'https://a:1',
      ca: PEM,
      bootstrapToken: 'line of t',
      tokenLifeMs: 7_200_000,
      config: { path: 'k', text: 'text of k\n' },
      flags: { 'register-node': 'true' },
    });
  });

  it.each([
    ['-', 'is empty', async () => '', '--bootstrap-token-file: cannot read standard input: it is empty'],
    [
      't',
      'is not there',
      async () => Promise.reject(new Error('ENOENT')),
      '--bootstrap-token-file: cannot read t: ENOENT',
    ],
  ])(
    'goes on when the bootstrap token of %s %s, and knows why',
    async (path, _what, readFirstLine, fault) => {
      const given = await readAgentArguments(
        ['--server', 'https://a:1', '--bootstrap-token-file', path],
        'Usage: rollcall agent',
        { ...context, readFirstLine },
      );
      expect([given.bootstrapToken, given.bootstrapFault]).toEqual([undefined, fault]);
    },
  );

  it.each([
    [{ HOME: '/home/ann' }, true, '/var/lib/rollcall-agent'],
    [{ HOME: '/home/ann' }, false, '/home/ann/.local/state/rollcall-agent'],
    [{ HOME: '/home/ann', XDG_STATE_HOME: '/state' }, false, '/state/rollcall-agent'],
    [{}, false, '/var/lib/rollcall-agent'],
  ])('with %o, as root: %s, keeps what it keeps in %s', (env, isRoot, folder) => {
    expect(defaultRoot({ env }, isRoot)).toBe(folder);
  });

  it('tells how it is', () => {
    const status = {
      nodeName: 'n1',
      server: 'https://a',
      version: 'v1',
      pid: 7,
      startedAt: 0,
      joinedAt: 1,
      lastBeatAt: 5_000,
    };
    expect(statusText(status, 9_000).split('\n').slice(-2)).toEqual([
      'joined:     yes',
      'last beat:  4 s ago',
    ]);
    expect(agentStatusIn(status)).toBe(status);
    expect(statusText({ ...status, nodeName: 'n1\u001b[2J\nserver:' }, 9_000)).toContain(
      String.raw`node:       n1\u001b[2J\nserver:`,
    );
  });

  it.each([
    undefined,
    null,
    'text',
    [],
    { node: 'squatted' },
    { nodeName: 'n', server: 's', version: 'v', pid: 1.5, startedAt: 0 },
    { nodeName: 'n', server: 's', version: 'v', pid: 1, startedAt: 1e300 },
    { nodeName: 'n', server: 's', version: 'v', pid: 1, startedAt: 0, lastBeatAt: 'now' },
  ])('takes no status from %j', (answer) => expect(agentStatusIn(answer)).toBeUndefined());
});

describe('the line with which a machine joins', () => {
  const lineOf = async (server: string, heartbeat: string) => {
    const complaints: string[] = [];
    const cluster = { server: async () => server, heartbeat: async () => heartbeat, ca: PEM };
    const complain = (text: string): void => void complaints.push(text);
    return { line: await joinLine(cluster as never, 't.o.k', { complain }), complaints };
  };

  it('has the addresses, the certificate authority and a token, and can be read again', async () => {
    const { line, complaints } = await lineOf('https://a:1', 'https://b');
    expect(complaints).toEqual([]);
    const [given, command = ''] = line.replaceAll("'", '').split(' | ');
    expect([given, command.slice(0, 19)]).toEqual(['printf %s t.o.k', 'rollcall agent run ']);
    expect(await read(command.slice(19))).toMatchObject({
      server: 'https://a:1',
      heartbeatServers: ['https://b'],
      ca: PEM,
      bootstrapToken: 'line of -',
    });
  });

  it('has the address of the host for other machines', async () => {
    const complain = (text: string) => expect.fail(text);
    const own = async () => 'https://localhost:1';
    const cluster = { server: own, heartbeat: own, serverForOthers: 'https://192.0.2.1:1' };
    const line = await joinLine(cluster as never, 't', { complain });
    expect(line).toBe(
      "printf %s 't' | rollcall agent run --server 'https://192.0.2.1:1' --bootstrap-token-file -",
    );
  });

  it('is not printed with an address that is no URL', async () => {
    await expect(lineOf('192.0.2.1:1', 'https://b')).rejects.toThrow('--server 192.0.2.1:1 is no URL');
  });

  it('is printed with a warning when no other machine can use it', async () => {
    const { line, complaints } = await lineOf('https://127.0.0.1:1', 'https://127.0.0.1:1');
    expect(line).not.toContain('heartbeat');
    expect(complaints.join()).toContain('an address of this machine only');
  });

  it('is printed for bootstrap tokens only', async () => {
    const { code, complaint } = await runCommandLine('token --admin --print-join', {});
    expect([code, complaint]).toEqual([2, expect.stringContaining('--print-join needs --bootstrap')]);
  });

  it('takes a PEM in base64, too', () => {
    expect(pemOf(Buffer.from(PEM).toString('base64'))).toBe(PEM);
  });
});
