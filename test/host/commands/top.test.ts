import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';
import { openTerminal } from './open-terminal.ts';

describe('rollcall top', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-top-'));
  const command = (...more: readonly string[]): readonly string[] => [
    process.execPath,
    resolve('cli/rollcall.js'),
    'top',
    '--kubeconfig',
    join(folder, 'kubeconfig'),
    ...more,
  ];
  let host: HostProcess;

  beforeAll(async () => {
    host = await startHostProcess(folder, '--fleet', '--fast');
  });

  afterAll(async () => {
    await host.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows an outage on a terminal, heeds keys and sizes, and gives the terminal back', {
    timeout: 120_000,
  }, async () => {
    const terminal = openTerminal(80, 24, command());
    try {
      expect(await terminal.until('12 nodes, 12 ready')).toMatchObject({ isCooked: false, overflow: false });
      await rollcall('outage', '--zone', 'a', '--folder', folder);
      await terminal.until('4 Unknown');
      await terminal.until('leaves n');
      terminal.size(120, 35);
      expect((await terminal.until('zone a: ')).lines).toHaveLength(35);
      terminal.keys('j\r');
      await terminal.until('Esc back');
      terminal.keys('\r');
      await terminal.until('Kubelet stopped posting node status');
      terminal.keys('\u001b');
      terminal.keys('/');
      await terminal.until('Enter keep');
      terminal.keys('n2\r');
      await terminal.until('only "n2"');
      await rollcall('restore', '--folder', folder);
      await terminal.until('12 ready');
      terminal.keys('q');
      const { modes, isCooked, overflow, code } = await terminal.ended();
      expect({ modes, isCooked, overflow, code }).toEqual({
        modes: ['?25', '?7'],
        isCooked: true,
        overflow: false,
        code: 0,
      });
    } finally {
      terminal.close();
    }
  });

  it('gives the terminal back when it is stopped or ended by a signal', { timeout: 60_000 }, async () => {
    const terminal = openTerminal(80, 24, command('--no-color'));
    try {
      await terminal.until('12 nodes');
      terminal.signal(constants.signals.SIGTSTP);
      await eventually('it is stopped', 15_000, async () => (await terminal.shown()).isCooked || undefined);
      terminal.signal(constants.signals.SIGCONT);
      expect(await terminal.until('12 nodes')).toMatchObject({ isCooked: false });
      terminal.signal(constants.signals.SIGTERM);
      expect(await terminal.ended()).toMatchObject({ modes: ['?25', '?7'], code: 0 });
    } finally {
      terminal.close();
    }
  });

  it('prints plain lines of changes without a terminal', { timeout: 60_000 }, async () => {
    const [program = '', ...args] = command();
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    const has = (text: string): Promise<true> =>
      eventually(`the output has "${text}"`, 30_000, async () => output.includes(text) || undefined, {
        seen: () => output,
      });
    try {
      await has('zone c: ');
      await rollcall('outage', '--node', 'n1', '--folder', folder);
      await has('node n1 (zone a): Ready True -> Unknown');
      expect(output).not.toContain('\u001b');
      await host.kill();
      await has('no answer since');
    } finally {
      child.kill('SIGTERM');
    }
  });
});
