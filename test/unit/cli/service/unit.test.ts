import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandUnit, folderOfUnit, hiddenBy } from '../../../../cli/service/unit.ts';

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!canVerify)
  process.stdout.write('skipped: units of hosts as systemd reads them: there is no systemd-analyze\n');

const aUnit = (name: 'serve' | 'proxy' | 'relay', folder: string, port = 6443): string =>
  commandUnit({
    command: { name, description: 'Rollcall' },
    program: ['/bin/sh', '/bin/true'],
    words: ['--a=$b 50% "c" \\d\n'],
    user: 'root',
    folder,
    port,
  });

describe('the unit of a host', () => {
  it.runIf(canVerify).each(['serve', 'proxy', 'relay'] as const)(
    'of %s is one that systemd takes',
    (name) => {
      for (const folder of ['/var/lib/rollcall', '/var/lib/a/b', '/srv']) {
        const place = mkdtempSync(join(tmpdir(), 'rollcall-unit-'));
        onTestFinished(() => rmSync(place, { recursive: true, force: true }));
        const path = join(place, 'rollcall.service');
        writeFileSync(path, aUnit(name, folder, 443));
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
        expect([folder, status, stderr]).toEqual([folder, 0, '']);
      }
    },
  );

  it('tells its folder', () => {
    expect(folderOfUnit(aUnit('serve', '/var/lib/rollcall'))).toBe('/var/lib/rollcall');
    expect(folderOfUnit('[Service]\nExecStart=/usr/bin/rollcall serve\n')).toBeUndefined();
  });
});

it.each([
  ['/home/ann/rollcall', '/home'],
  ['/root', '/root'],
  ['/tmp/x', '/tmp'],
  ['/var/tmp/x', '/var/tmp'],
  ['/homes/x', undefined],
  ['/opt/rollcall', undefined],
])('a service that reads %s is stopped by %s', (path, folder) => expect(hiddenBy(path)).toBe(folder));

it('is what docs/systemd.md shows', () => {
  const unit = commandUnit({
    command: { name: 'serve', description: "Rollcall: control plane of a fleet's nodes" },
    program: ['/usr/local/bin/rollcall'],
    words: ['--config=/etc/rollcall.yaml'],
    port: 0,
    user: 'rollcall',
    folder: '/var/lib/rollcall',
  });
  expect(readFileSync('docs/systemd.md', 'utf8')).toContain(`\`\`\`ini\n${unit}\`\`\``);
});
