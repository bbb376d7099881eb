/** The executor is a plug-in of LocalStack, in Python; its tests need nothing of LocalStack. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = 'test/localstack/executor';

/** LocalStack needs a newer one. */
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

it.skipIf(!hasPython)('the tests of the executor pass', async () => {
  const args = ['-B', '-m', 'unittest', 'discover', '--start-directory', 'tests'];
  const env = { ...process.env, PYTHONPATH: '.' };
  const { stderr } = await promisify(execFile)('python3', args, { cwd: FOLDER, env });
  expect(stderr).toMatch(/Ran \d\d tests/);
});
