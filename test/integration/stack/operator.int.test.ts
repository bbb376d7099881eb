/** What an operator runs after a deploy: the smoke test, and a resync. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { cliToken, must, profile } from '../support/deployment.ts';
import { type Machine, startMachine } from '../support/machine.ts';

const admin = cliToken('--admin');
const machines: Machine[] = [];

afterAll(() => Promise.all(machines.map((machine) => machine.leave())));

/** Runs a command as a user does, to its end. */
const rollcall = (...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((done) => {
    const command = [resolve('cli/rollcall.js'), ...args, '--stack', profile.stackName];
    const child = execFile(process.execPath, command, (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? 1, output: `${stdout}${stderr}` }),
    );
  });

const nodes = async (): Promise<readonly string[]> => {
  const { items } = await must<ApiList<Node>>({ method: 'GET', path: '/api/v1/nodes', token: admin });
  return items.map(({ metadata }) => metadata.name);
};

beforeAll(async () => {
  // Those of other files are silent: while all zones are down no node is tainted.
  for (const name of await nodes())
    await must({ method: 'DELETE', path: `/api/v1/nodes/${name}`, token: admin });
});

it('the smoke test passes on a stack without nodes, where no passes run before it, and leaves nothing', async () => {
  const before = await nodes();
  const { code, output } = await rollcall('doctor', '--smoke', '--only', 'smoke');
  process.stdout.write(output);
  expect(output.match(/^✓ ok +smoke/gm), output).toHaveLength(6);
  expect([code, await nodes()]).toEqual([0, before]);
});

it('a resync has the messages of all nodes sent, and says how many', async () => {
  machines.push(await startMachine(admin, 'resync-1', 'zone-resync', 'plain'));
  const { code, output } = await rollcall('aws', 'resync');
  const count = (await nodes()).length;
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${count} nodes were looked at, and \\d+ messages were sent\n$`)),
  ]);
});
