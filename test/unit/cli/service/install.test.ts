import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run as relay } from '../../../../cli/cluster/relay.ts';
import { OPTIONS, usage } from '../../../../cli/host/serve.ts';
import { serveSettings } from '../../../../cli/host/serve-service.ts';
import { serviceAction } from '../../../../cli/service/actions.ts';
import type { Account, ServiceMachine } from '../../../../cli/service/machine.ts';
import type { ServiceCommand } from '../../../../cli/service/service-command.ts';
import type { CommandContext } from '../../../../cli/shell/command.ts';

const SERVE: ServiceCommand = {
  name: 'serve',
  description: 'A host',
  usage,
  OPTIONS,
  read: (args, context) => serveSettings(args, usage, context),
};

interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  readonly unreadable?: readonly string[];
  readonly isRunning?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A machine whose systemd only remembers. */
const aMachine = ({ env = {}, unreadable = [], isRunning = true, properties = {} }: Circumstances = {}) => {
  const [printed, units, users, folders]: [string[], string[], string[], string[]] = [[], [], [], []];
  const machine: ServiceMachine = {
    systemd: {
      isThere: async () => isRunning,
      installed: async () => units.at(-1),
      install: async (unit) => void units.push(unit),
      uninstall: async () => units.pop() !== undefined,
      properties: async () => properties,
    },
    program: () => ['/opt/node', '/opt/rollcall.js'],
    account: async (name) => {
      users.push(name);
      return { name, uid: 990, gid: 990 };
    },
    mayRead: async (_: Account, path) => !unreadable.includes(path),
    makeFolder: async (_, folder) => void folders.push(folder),
  };
  const context = {
    env,
    print: (text: string) => void printed.push(text),
    readFile: async () => 'logFormat: json\n',
  } as unknown as CommandContext;
  const act = (...args: readonly string[]) => serviceAction(SERVE, args, context, machine);
  return { printed, units, users, folders, machine, context, act };
};

const commandOf = (unit = ''): string => /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '';

describe('rollcall serve install', () => {
  it('carries the options over, with full paths, and runs as a user of its own in a folder of its own', async () => {
    const { act, units, users, folders, printed } = aMachine();
    await act('install', '--listen', '0.0.0.0:6443', '--config', '/etc/rollcall.yaml', '--no-fast');
    const [unit = ''] = units;
    expect(commandOf(unit)).toMatch(
      /^"\/opt\/node" "\/opt\/rollcall\.js" "serve" "--folder" "\/var\/lib\/rollcall" "--listen=0\.0\.0\.0:6443" "--config=\/etc\/rollcall\.yaml" "--no-fast"$/,
    );
    for (const line of ['User=rollcall', 'StateDirectory=rollcall', 'StateDirectoryMode=0700'])
      expect(unit).toContain(`\n${line}\n`);
    expect([users, folders]).toEqual([['rollcall'], []]);
    expect(printed[0]).toMatch(/^rollcall\.service runs on \/var\/lib\/rollcall; "rollcall serve status"/);
  });

  it('quotes what systemd would take for something else', async () => {
    const { act, units } = aMachine();
    await act('install', '--event-sink', 'https://a/$x?"50%"', '--on', 'node-lost', '--', 'page', 'a\nb');
    expect(commandOf(units[0])).toContain(
      String.raw`"--event-sink=https://a/$$x?\"50%%\"" "--on=node-lost" "--" "page" "a\nb"`,
    );
  });

  it('takes settings of the environment, and names the variables that stay behind, without their values', async () => {
    const env = {
      ROLLCALL_NODES: '3',
      ROLLCALL_FLEET: '1',
      ROLLCALL_EVENT_KEY_FILE: '/etc/keys',
      HTTPS_PROXY: 'http://u:secret@p',
      HOME: '/x',
    };
    const { act, units, printed } = aMachine({ env });
    await act('install');
    expect(commandOf(units[0])).toMatch(/"--event-key-file=\/etc\/keys" "--fleet" "--nodes=3"$/);
    expect(printed[1]).toMatch(/these variables of this terminal: HTTPS_PROXY\..*\/etc\/rollcall\.env/);
    expect(printed.join()).not.toContain('secret');
  });

  it.each([
    ['--listen=0.0.0.0:443', 'AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=\n'],
    ['--listen=0.0.0.0:6443', 'CapabilityBoundingSet=\n', 'AmbientCapabilities'],
    ['--folder=/data/rollcall', 'ReadWritePaths=/data/rollcall\n', 'StateDirectory'],
    ['--user=ops', 'User=ops\n', 'User=rollcall'],
  ])('with %s the unit has %s', async (option, there, absent) => {
    const { act, units } = aMachine();
    await act('install', option);
    expect(units[0]).toContain(there);
    expect(units[0]).not.toContain(absent);
  });

  it('makes a folder that systemd does not make', async () => {
    const { act, folders } = aMachine();
    await act('install', '--folder', '/data/rollcall');
    expect(folders).toEqual(['/data/rollcall']);
  });

  it('replaces the options of a service that is there, and leaves that of another folder alone', async () => {
    const { act, units } = aMachine();
    await act('install', '--listen=0.0.0.0:1');
    await act('install', '--listen=0.0.0.0:2');
    expect(units[1]).toContain('0.0.0.0:2');
    await expect(act('install', '--folder=/var/lib/other')).rejects.toThrow(
      'rollcall.service runs on /var/lib/rollcall already',
    );
    expect(units.length).toBe(2);
  });

  it.each([
    ['a wrong setting', {}, ['--listen', 'x'], /listen: "x" is refused/],
    ['a wrong option', {}, ['--liste=x'], /did you mean --listen\?/],
    ['a wrong user', {}, ['--user', 'a b'], /--user a b is no name of a user/],
    [
      'a machine without systemd',
      { isRunning: false },
      [],
      /systemd does not run.*Have "rollcall serve" started/,
    ],
    [
      'a folder of somebody',
      {},
      ['--folder', '/home/ann/rollcall'],
      /sees nothing of \/home.*state in \/var\/lib/,
    ],
    ['a folder that systemd cannot write', {}, ['--folder', '/var/lib/a b'], /has a name of letters/],
    ['the root folder', {}, ['--folder', '/'], /is not \//],
    ['a file of root', {}, ['--config', '/root/r.yaml'], /sees nothing of \/root, so \/root\/r\.yaml/],
  ])('refuses %s, and makes nothing', async (_, circumstances, args, reason) => {
    const { act, units, users } = aMachine(circumstances);
    await expect(act('install', ...args)).rejects.toThrow(reason);
    expect([units, users]).toEqual([[], []]);
  });

  it('refuses a file that its user cannot read', async () => {
    const { act, units } = aMachine({ unreadable: ['/etc/rollcall.yaml'] });
    await expect(act('install', '--config=/etc/rollcall.yaml')).rejects.toThrow(
      /the user rollcall.*cannot read \/etc\/rollcall\.yaml: "namei -l/,
    );
    expect(units).toEqual([]);
  });
});

it('what is uninstalled can be installed again: its folder stays', async () => {
  const { act, units, printed } = aMachine();
  await act('install', '--folder=/var/lib/mine');
  await act('uninstall');
  expect([units, printed.at(-1)]).toEqual([[], expect.stringContaining('its user and /var/lib/mine stay')]);
  await expect(act('uninstall')).rejects.toThrow('there is no rollcall.service on this machine');
});

const RUNNING = {
  LoadState: 'loaded',
  ActiveState: 'active',
  SubState: 'running',
  Result: 'success',
  MainPID: '812',
  NRestarts: '2',
  ActiveEnterTimestamp: 'Fri 2026-11-27 21:00:00 UTC',
  UnitFileState: 'enabled',
};

describe('rollcall serve status', () => {
  it('says since when it runs', async () => {
    const { act, printed } = aMachine({ properties: RUNNING });
    await act('status');
    expect(printed).toEqual([
      'rollcall.service is active (running) since Fri 2026-11-27 21:00:00 UTC\nprocess 812, started again 2 times by systemd',
    ]);
  });

  it.each([
    [
      { ...RUNNING, ActiveState: 'failed', SubState: 'failed', Result: 'exit-code', ExecMainStatus: '2' },
      /is failed \(failed\)\nit ended with exit-code, exit code 2: "rollcall serve logs" says why/,
    ],
    [
      { ...RUNNING, ActiveState: 'inactive', SubState: 'dead', UnitFileState: 'disabled' },
      /is inactive \(dead\)\nit is not started with the machine: systemctl enable rollcall\.service/,
    ],
    [{ LoadState: 'not-found' }, /there is no rollcall\.service.*"rollcall serve install" makes one/],
  ])('fails where it does not run: %o', async (properties, text) => {
    await expect(aMachine({ properties }).act('status')).rejects.toThrow(text);
  });

  it('takes no options', async () => {
    await expect(aMachine().act('status', '--listen=x')).rejects.toThrow('there is no option --listen');
  });
});

it('a relay is checked before anything is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'token'), 't');
  const { context } = aMachine();
  const args = ['install', '--name', 'A B', '--server', 'https://a', '--token-file', join(folder, 'token')];
  await expect(relay(args, context)).rejects.toThrow('--name A B is not a name');
});
