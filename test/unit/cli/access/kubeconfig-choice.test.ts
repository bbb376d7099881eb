import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { kubeconfigOf } from '../../../../shared/serving/machine/kubeconfig.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { startHttpApi } from '../../../support/servers/http-api.ts';
import { openDashboard } from '../../../support/servers/open-dashboard.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-kubeconfigs-'));
afterAll(() => rmSync(root, { recursive: true }));

const SECRET = Buffer.alloc(32, 7).toString('base64url');
const KEYS = JSON.stringify({ current: 'k1', keys: { k1: SECRET } });
const OUTPUTS = { SigningKeySecretArn: 'arn', ApiUrl: 'https://stack.test' };

/** A kubeconfig with one context, which has the name of its cluster. */
const write = (path: string, clusterId: string, server: string): string => {
  const parts = { server, clusterId, ca: 'the CA', token: `token-of-${clusterId}`, user: 'ann' };
  writeFileSync(path, kubeconfigOf(parts));
  return path;
};

const RED = write(join(root, 'red.yaml'), 'red', 'https://red.test/');
const BLUE = write(join(root, 'blue.yaml'), 'blue', 'https://blue.test/under');

const hostIn = (name: string, pid?: number): string => {
  const folder = join(root, name);
  mkdirSync(folder);
  const url = `https://${name}.test`;
  const record = { url, host: `${name}.test`, port: 1, clusterId: name, timeFactor: 1, pid };
  const machines = [{ name: 'n1', zone: 'a' }];
  const text = JSON.stringify({ ...record, machines, nodeLifecycle: NODE_LIFECYCLE_DEFAULTS });
  writeFileSync(join(folder, 'host.json'), text);
  writeFileSync(join(folder, 'signing-key.json'), KEYS);
  write(join(folder, 'kubeconfig'), name, url);
  return folder;
};

const RUNNING = hostIn('running', process.pid);
const SECOND = hostIn('second', process.pid);
const STOPPED = hostIn('stopped');

interface Asked {
  readonly url: string;
  readonly ca: string | undefined;
  /** The token of a kubeconfig; those that were signed are all `signed`. */
  readonly token: string;
}

const run = async (line: string, env: CommandContext['env'] = {}, world: Partial<CommandContext> = {}) => {
  const asked: Asked[] = [];
  const result = await runCommandLine(line, {
    env: { ROLLCALL_FOLDER: join(root, 'nobody'), AWS_REGION: 'eu-central-1', ...env },
    now: () => 1_000_000,
    readFile: async (path) => readFileSync(path, 'utf8'),
    readSecret: async () => KEYS,
    stackOutputs: async () => OUTPUTS,
    fetch: async (url, { headers, ca } = {}) => {
      const token = new Headers(headers).get('authorization')?.replace('Bearer ', '') ?? '';
      asked.push({ url, ca, token: token.startsWith('token-of-') ? token : 'signed' });
      return Response.json({
        status: { token: 'of-the-node' },
        subject: { kind: 'Node', name: 'n1' },
        sections: [],
      });
    },
    ...world,
  });
  return { ...result, asked };
};

const COMMANDS = [
  ['explain node n1 -o json', '/api/v1/nodes/n1/explain'],
  ['drain n1', '/api/v1/nodes/n1/drain'],
  ['token --node n1', '/apis/rollcall.dev/v1/nodes/n1/token'],
  ['token --release n1', '/api/v1/nodes/n1'],
] as const;

describe.each(COMMANDS)('rollcall %s', (command, path) => {
  it.each<[string, string, CommandContext['env'], Asked['url'], Asked['token']]>([
    ['--kubeconfig', ` --kubeconfig ${RED}`, {}, 'https://red.test', 'token-of-red'],
    [
      '--kubeconfig beside a host',
      ` --kubeconfig ${RED}`,
      { ROLLCALL_FOLDER: RUNNING },
      'https://red.test',
      'token-of-red',
    ],
    [
      '--kubeconfig before KUBECONFIG',
      ` --kubeconfig ${BLUE}`,
      { KUBECONFIG: RED },
      'https://blue.test/under',
      'token-of-blue',
    ],
    ['KUBECONFIG', '', { KUBECONFIG: RED }, 'https://red.test', 'token-of-red'],
    [
      'the first file of KUBECONFIG that exists',
      '',
      { KUBECONFIG: ['/nowhere', BLUE, RED].join(delimiter) },
      'https://blue.test/under',
      'token-of-blue',
    ],
    [
      '--context of any file of KUBECONFIG',
      ' --context blue',
      { KUBECONFIG: [RED, BLUE].join(delimiter) },
      'https://blue.test/under',
      'token-of-blue',
    ],
    [
      'the host that runs here before KUBECONFIG',
      '',
      { KUBECONFIG: RED, ROLLCALL_FOLDER: RUNNING },
      'https://running.test',
      'signed',
    ],
    [
      'KUBECONFIG before a host that is stopped',
      '',
      { KUBECONFIG: RED, ROLLCALL_FOLDER: STOPPED },
      'https://red.test',
      'token-of-red',
    ],
    [
      '--folder before KUBECONFIG',
      ` --folder ${STOPPED}`,
      { KUBECONFIG: RED },
      'https://stopped.test',
      'signed',
    ],
    ['--stack before KUBECONFIG', ' --stack Mine', { KUBECONFIG: RED }, 'https://stack.test', 'signed'],
    [
      '--server before KUBECONFIG',
      ' --server https://own.test',
      { KUBECONFIG: RED },
      'https://own.test',
      'signed',
    ],
    [
      'ROLLCALL_SECRET_ARN before KUBECONFIG',
      '',
      { KUBECONFIG: RED, ROLLCALL_SECRET_ARN: 'arn' },
      'https://stack.test',
      'signed',
    ],
    [
      'the stack after KUBECONFIG without a file',
      '',
      { KUBECONFIG: '/nowhere' },
      'https://stack.test',
      'signed',
    ],
  ])('asks by %s', async (_, options, env, server, token) => {
    const { code, complaint, asked } = await run(`${command}${options}`, env);
    expect([code, complaint]).toEqual([0, '']);
    const ca = token === 'signed' ? undefined : 'the CA';
    expect(asked).toEqual([{ url: `${server}${path}`, token, ca }]);
  });

  it.each([
    [`--kubeconfig ${RED} --stack Mine`, 2, '--kubeconfig already says where the API is'],
    ['--context red', 2, '--context needs --kubeconfig FILE, or a kubeconfig in KUBECONFIG'],
    [
      `--kubeconfig ${RED} --context green`,
      1,
      `cannot use the kubeconfig ${RED}: the kubeconfig has no entry "green"`,
    ],
    ['--kubeconfig /nowhere', 1, 'cannot use the kubeconfig /nowhere: ENOENT'],
  ])('refuses %s', async (options, code, complaint) => {
    const refused = await run(`${command} ${options}`);
    expect([refused.code, refused.complaint, refused.asked]).toEqual([
      code,
      expect.stringContaining(complaint),
      [],
    ]);
  });
});

describe('what needs keys or files of the cluster', () => {
  it.each(['--admin', '--viewer', '--bootstrap --print-join', '--node n1 --by-name', '--user ann', '--ca'])(
    'is refused by token %s --kubeconfig, and not looked for in KUBECONFIG',
    async (what) => {
      const { code, complaint, printed } = await run(`token ${what} --kubeconfig ${RED}`);
      expect([code, printed]).toEqual([2, '']);
      expect(complaint).toContain(
        'instead of --kubeconfig, give --folder, --stack, --key-file or --secret-arn',
      );
      const byEnvironment = await run(`token --admin`, { KUBECONFIG: RED });
      expect(byEnvironment.code).toBe(0);
    },
  );
});

describe.each(['outage', 'restore'])('rollcall %s', (command) => {
  const SILENT = JSON.stringify({ zones: [], nodes: ['n1'], all: false });
  const silentIn = (folder: string): string => readFileSync(join(folder, 'outage.json'), 'utf8');
  afterEach(() => {
    for (const folder of [RUNNING, SECOND]) rmSync(join(folder, 'outage.json'), { force: true });
  });

  it.each<[string, string, CommandContext['env'], string]>([
    ['--kubeconfig in a folder', `--kubeconfig ${SECOND}/kubeconfig`, {}, SECOND],
    [
      '--kubeconfig beside a host that runs',
      `--kubeconfig ${SECOND}/kubeconfig`,
      { ROLLCALL_FOLDER: RUNNING },
      SECOND,
    ],
    ['KUBECONFIG', '', { KUBECONFIG: `${RED}${delimiter}${SECOND}/kubeconfig` }, SECOND],
    [
      'the host that runs here before KUBECONFIG',
      '',
      { KUBECONFIG: `${SECOND}/kubeconfig`, ROLLCALL_FOLDER: RUNNING },
      RUNNING,
    ],
    ['--folder before KUBECONFIG', `--folder ${RUNNING}`, { KUBECONFIG: `${SECOND}/kubeconfig` }, RUNNING],
  ])('finds the host by %s', async (_, options, env, folder) => {
    if (command === 'restore') writeFileSync(join(folder, 'outage.json'), SILENT);
    const { code, complaint } = await run(`${command} --node n1 ${options}`.trim(), env);
    expect([code, complaint]).toEqual([0, '']);
    expect(silentIn(folder).includes('n1')).toBe(command === 'outage');
  });

  it.each([
    [`--kubeconfig ${RED}`, 1, 'is not in the folder of a host, and this works by files of that folder'],
    [`--kubeconfig ${RED} --folder ${RUNNING}`, 2, 'give either --folder or --kubeconfig, not both'],
    [`--kubeconfig ${STOPPED}/kubeconfig`, 1, `no host is running in ${STOPPED}`],
  ])('refuses %s', async (options, code, complaint) => {
    const refused = await run(`${command} --node n1 ${options}`);
    expect([refused.code, refused.complaint]).toEqual([code, expect.stringContaining(complaint)]);
  });
});

describe('commands that go on until they are stopped, and the doctor', () => {
  /** Ends the commands that wait for SIGTERM, and nothing else of this process. */
  const withStop = async (work: () => Promise<void>): Promise<void> => {
    const before = new Set([...process.listeners('SIGTERM'), ...process.listeners('SIGINT')]);
    await work().finally(() => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        for (const listener of process.listeners(signal).filter((one) => !before.has(one))) {
          process.off(signal, listener);
          if (signal === 'SIGTERM') listener(signal);
        }
    });
  };

  /** The dashboard asks nothing before somebody opens its link, and the page reads. */
  const openLink = async (text: string): Promise<void> => {
    const [link] = /http:\/\/\S+/.exec(text) ?? [];
    if (link === undefined || !text.startsWith('open this link')) return;
    const { headers } = await openDashboard(link);
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    await fetch(new URL('/data/read?path=/api/v1/nodes/n1', link), { headers: { cookie } });
  };

  it.each<[string, (path: string) => readonly [string, CommandContext['env']]]>([
    ['--kubeconfig', (path) => [` --kubeconfig ${path}`, {}]],
    ['KUBECONFIG', (path) => ['', { KUBECONFIG: path }]],
  ])(
    'ask the server of %s with its token',
    async (name, choose) => {
      const seen: Record<string, string[]> = {};
      const api = await startHttpApi({
        serve: async ({ path, headers }) => {
          const token = headers['authorization'] ?? '';
          seen[token] = [...(seen[token] ?? []), path];
          return { status: 403, headers: {}, body: '{}' };
        },
      });
      const asks = async (command: string): Promise<void> => {
        const cluster = command.split(' ')[0] ?? '';
        const [options, env] = choose(write(join(root, `${name}-${cluster}`), cluster, api.url.href));
        let ended: ReturnType<typeof run> | undefined;
        await withStop(async () => {
          // The dashboard keeps its port there.
          const own = { ROLLCALL_FOLDER: join(root, 'own'), ...env };
          ended = run(`${command}${options}`, own, { print: (text) => void openLink(text) });
          await eventually(
            `a request of ${cluster}`,
            20_000,
            async () => (seen[`Bearer token-of-${cluster}`] ?? []).length > 0,
          );
        });
        expect((await ended)?.asked).toEqual([]);
      };
      try {
        await asks('doctor --only server');
        await asks('top');
        await asks('dashboard');
        expect(
          Object.keys(seen)
            .filter((token) => token !== '')
            .toSorted(),
        ).toEqual(['Bearer token-of-dashboard', 'Bearer token-of-doctor', 'Bearer token-of-top']);
      } finally {
        await api.stop();
      }
    },
    60_000,
  );
});
