import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AGENT_SERVICE, createSystemd } from '../../../../agent/adapters/systemd.ts';
import { rootOfUnit, unitText } from '../../../../agent/rules/machine/unit-text.ts';

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

/** systemd with a systemctl that only writes down what it is called with. */
const aSystemd = () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [calls, systemctl] = [join(folder, 'calls'), join(folder, 'systemctl')];
  writeFileSync(systemctl, `#!/bin/sh\necho "$@" >>${calls}\n`);
  chmodSync(systemctl, 0o755);
  const read = () => readFileSync(calls, 'utf8').trim().split('\n');
  return {
    systemd: createSystemd(AGENT_SERVICE, { units: folder, systemctl, running: folder }),
    unit: join(folder, AGENT_SERVICE),
    calls: read,
  };
};

it('quotes the words of a command line, and leaves pods alone when the agent ends', () => {
  const text = unitText(['/bin/node', '--node-labels=a=$b', '50%', 'a "b" \\c'], '/root 5%/environment');
  expect(text).toContain(String.raw`ExecStart="/bin/node" "--node-labels=a=$$b" "50%%" "a \"b\" \\c"`);
  expect(text).toContain('EnvironmentFile=-/root 5%%/environment\n');
  expect(text).toContain('KillMode=process');
  expect(text).toContain('RestartPreventExitStatus=2 3');
});

it.runIf(canVerify)('is a unit that systemd takes, wherever the program is', () => {
  for (const name of ['no de', '50%', 'a"b', "it's", 'a$b', 'a\\b', 'k=v', 'ü']) {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, name);
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const unit = join(folder, AGENT_SERVICE);
    writeFileSync(unit, unitText([program, 'agent', 'run', '--node-labels=a=$b', 'a b'], join(folder, name)));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([name, status, stderr]).toEqual([name, 0, '']);
  }
});

it('installs the unit and starts it, and removes it again', async () => {
  const { systemd, unit, calls } = aSystemd();
  await systemd.install('text');
  expect(readFileSync(unit, 'utf8')).toBe('text');
  expect(calls().slice(1)).toEqual(['daemon-reload', `enable ${AGENT_SERVICE}`, `restart ${AGENT_SERVICE}`]);
  expect(await systemd.uninstall()).toBe(true);
  expect(existsSync(unit)).toBe(false);
  expect(calls().slice(4)).toEqual([`disable --now ${AGENT_SERVICE}`, 'daemon-reload']);
  expect(await systemd.uninstall()).toBe(false);
});

it.each(['/var/lib/rollcall-agent', '/a b', '/50%', '/$a', '/a"b\\c'])(
  'tells from the unit that it runs the agent of %s',
  (root) => {
    const unit = unitText(['/bin/node', 'agent', 'run', '--root-dir', root, '--server', 's'], '/e');
    expect(rootOfUnit(unit)).toBe(root);
  },
);
