import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownVersion } from '../../cli/shell/version.ts';
import { type Launch, runBy, startHostBy } from '../support/servers/host-process.ts';
import { environmentWith, type Installed, installPackage } from './installed.ts';

/** The oldest Node that the package promises to run on; `oldest-node.sh` fetches one. */
const OLDEST = process.env['ROLLCALL_OLDEST_NODE'] ?? '';
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const isThere = existsSync(OLDEST);
if (!isThere)
  process.stdout.write(
    'skipped: the package on the oldest Node: ROLLCALL_OLDEST_NODE names none; test/package/oldest-node.sh\n',
  );

/** A process that takes itself for another version of Node. */
const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

describe('the package', () => {
  let installed: Installed;
  let program: string;

  beforeAll(() => {
    installed = installPackage();
    program = join(installed.folder, 'node_modules', '.bin', 'rollcall');
  });

  afterAll(() => installed.remove());

  const runAs = (version: string) =>
    runBy({ command: [process.execPath, '--import', pretend(version), program] }, '--version');

  it.each(['12.22.0', '20.20.2', '22.13.0', '22.15.1', '23.11.0'])(
    'says on Node %s which one it needs, and how to get it',
    async (version) => {
      expect(await runAs(version)).toEqual({
        code: 1,
        output: `This is Node ${version}: rollcall needs Node 24 or newer, or Node 22.16 and later 22; install one, or run \`npm install node@24\` in the folder where you have installed rollcall.\n`,
      });
    },
  );

  it.each(['22.16.0', '22.23.3', '24.0.0', '26.1.0'])('runs on Node %s', async (version) => {
    expect(await runAs(version)).toEqual({ code: 0, output: `rollcall ${ownVersion()}, Node ${version}\n` });
  });

  it.runIf(isThere || isComplete)('really runs on the oldest Node, which it promises', async () => {
    const oldest: Launch = { command: [program], env: environmentWith(dirname(OLDEST)) };
    expect(await runBy(oldest, '--version')).toEqual({
      code: 0,
      output: `rollcall ${ownVersion()}, Node 22.16.0\n`,
    });
    const host = await startHostBy(oldest, join(installed.folder, 'oldest'));
    expect(await host.nodes()).toEqual([]);
    expect(await host.stop()).toBe(0);
    expect(host.output()).not.toContain('ExperimentalWarning');
  });
});
