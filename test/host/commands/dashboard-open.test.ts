/** `rollcall dashboard --open` as a user runs it, with a program in the place of the browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { openDashboard } from '../../support/servers/open-dashboard.ts';
import { newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const LINK = /http:\S+token=\S+/g;
const MOST_MS = 30_000;

/** A program named xdg-open that writes down its arguments. */
const fakeBrowser = (
  folder: string,
): { readonly bin: string; readonly argument: () => string | undefined } => {
  const [bin, told] = [join(folder, 'bin'), join(folder, 'argument')];
  mkdirSync(bin);
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nprintf '%s' "$*" > '${told}.new' && mv '${told}.new' '${told}'\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return { bin, argument: () => (existsSync(told) ? readFileSync(told, 'utf8') : undefined) };
};

const startDashboard = (folder: string, home: string, bin: string, ...args: readonly string[]) => {
  const env = { ...process.env, HOME: home, PATH: `${bin}${delimiter}${process.env['PATH']}` };
  const command = [resolve('cli/rollcall.js'), 'dashboard', '--folder', folder, '--no-beats', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  onTestFinished(stop);
  const links = () => [...output.matchAll(LINK)].map(([link]) => link);
  return { stop, links, first: () => eventually('a link', MOST_MS, async () => links()[0]) };
};

it('gives the browser no secret by its command line, and prints another link after the first one', {
  timeout: 180_000,
}, async () => {
  const folder = newFolder();
  await startPatientHost(folder);
  const home = newFolder();
  const { bin, argument } = fakeBrowser(home);
  const first = startDashboard(folder, home, bin, '--open');
  const link = await first.first();
  const opened = await eventually('the browser', MOST_MS, async () => argument());
  const { port, searchParams } = new URL(link);
  const token = searchParams.get('token') ?? 'none';
  expect(opened).not.toContain(token);
  expect(statSync(opened).mode & 0o777).toBe(0o600);
  expect(readFileSync(opened, 'utf8')).toContain(link);
  expect((await openDashboard(link)).status).toBe(303);
  await eventually('the file is gone', MOST_MS, async () => !existsSync(opened) || undefined);
  const next = await eventually('another link', MOST_MS, async () => first.links()[1]);
  expect(next).not.toBe(link);
  expect((await openDashboard(next)).status).toBe(303);

  const beside = startDashboard(folder, home, bin);
  expect(new URL(await beside.first()).port).not.toBe(port);
  await Promise.all([first.stop(), beside.stop()]);
  expect(new URL(await startDashboard(folder, home, bin).first()).port).toBe(port);
});
