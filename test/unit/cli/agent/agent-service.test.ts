import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unitText } from '../../../../agent/rules/machine/unit-text.ts';
import { installAgent, uninstallAgent } from '../../../../cli/agent/agent-service.ts';
import { forgetInstalledToken } from '../../../../cli/agent/installed-token.ts';
import type { CommandContext } from '../../../../cli/shell/command.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const TOKEN = 'a.secret.token';
const TOKEN_FILE = ['--bootstrap-token-file', '-'];

/** A machine with a systemd that only remembers. */
const aMachine = (env: Readonly<Record<string, string>> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'ro ot');
  const printed: string[] = [];
  const given = { token: TOKEN };
  const units: string[] = [];
  const systemd = {
    isThere: async () => true,
    properties: async () => ({}),
    installed: async () => units.at(-1),
    install: async (unit: string) => void units.push(unit),
    uninstall: async () => units.pop() !== undefined,
  };
  const context = {
    env,
    print: (text: string) => void printed.push(text),
    readFile: async (path: string) => readFileSync(path, 'utf8'),
    readFirstLine: async () => given.token,
  } as unknown as CommandContext;
  writeFileSync(join(folder, 'ca'), PEM);
  const words = ['--server', 'https://a:1', '--ca', join(folder, 'ca'), '--root-dir', root];
  return {
    root,
    printed,
    units,
    folder,
    given,
    install: (...more: readonly string[]) => installAgent([...words, ...more], 'Usage: x', context, systemd),
    uninstall: () => uninstallAgent(['--root-dir', root], 'Usage: x', context, systemd),
    text: (name: string) => readFileSync(join(root, name), 'utf8'),
    modeOf: (name: string) => statSync(join(root, name)).mode & 0o777,
  };
};

describe('rollcall agent install', () => {
  it('keeps secrets out of the unit, in files that only their owner may read', async () => {
    const { install, units, text, modeOf, root } = aMachine({ https_proxy: 'http://u:pa"ss@p:1' });
    await install(...TOKEN_FILE, '--hostname-override', 'n1', '--node-labels', 'a=b');
    expect(units.join()).not.toMatch(/secret|pa"ss|MIIB/);
    expect(units[0]).toContain(`"--root-dir" "${root}" "--server" "https://a:1"`);
    expect(units[0]).toContain('"--hostname-override=n1"');
    expect([text('bootstrap-token'), modeOf('bootstrap-token')]).toEqual([TOKEN, 0o600]);
    expect([text('environment'), modeOf('environment')]).toEqual([
      'https_proxy="http://u:pa\\"ss@p:1"\n',
      0o600,
    ]);
    expect([text('ca.crt'), modeOf('')]).toEqual([PEM, 0o700]);
  });

  it('replaces what was installed before', async () => {
    const { install, units, text, folder, given } = aMachine();
    writeFileSync(join(folder, 'config'), 'maxPods: 5\n');
    await install(...TOKEN_FILE, '--config', join(folder, 'config'));
    given.token = 'another';
    await install(...TOKEN_FILE, '--hostname-override', 'n2');
    expect(text('bootstrap-token')).toBe('another');
    expect(units[1]).toContain('n2');
    expect(units[1]).not.toContain('--config');
  });

  it('keeps plain mode, whose pods end with the service', async () => {
    const { install, uninstall, units, printed } = aMachine();
    await install(...TOKEN_FILE, '--unisolated');
    expect(units[0]).toContain('"--unisolated"');
    await uninstall();
    expect(printed[1]).toContain('its pods have ended with it');
  });

  it('leaves everything as it was if a setting is wrong', async () => {
    const { install, units, root } = aMachine();
    await expect(install('--cloud-provider', 'aws')).rejects.toThrow('external');
    expect([units, existsSync(root)]).toEqual([[], false]);
  });

  it.each(['', 'x'])('writes nothing if the named bootstrap token is not there: "%s"', async (token) => {
    const { install, units, root, given } = aMachine();
    given.token = token;
    const installing = install(...TOKEN_FILE);
    if (token === '') await expect(installing).rejects.toThrow('cannot read standard input: it is empty');
    else await installing;
    expect([units.length, existsSync(root)]).toEqual(token === '' ? [0, false] : [1, true]);
  });

  it('forgets the bootstrap token when the agent has its own one', async () => {
    const { install, root, text } = aMachine();
    await install(...TOKEN_FILE);
    forgetInstalledToken(root);
    expect(() => text('bootstrap-token')).toThrow('ENOENT');
    forgetInstalledToken(root);
  });

  it('leaves the service of another root folder alone, and writes nothing', async () => {
    const { install, units, root } = aMachine();
    units.push(unitText(['node', '--root-dir', '/other'], '/environment'));
    await expect(install(...TOKEN_FILE)).rejects.toThrow('runs the agent of /other already');
    expect([units.length, existsSync(root)]).toEqual([1, false]);
  });

  it('is undone without the pods, the Node and the token, which it says', async () => {
    const { install, uninstall, printed, text } = aMachine();
    await install(...TOKEN_FILE);
    await uninstall();
    expect(printed[1]).toMatch(/its pods run on.*end by "kubectl delete node NAME"/);
    expect(text('bootstrap-token')).toBe(TOKEN);
    await expect(uninstall()).rejects.toThrow('there is no rollcall-agent.service');
  });
});
