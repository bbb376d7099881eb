/** `npm run test:agent-chaos -- [--seconds N] [--seed N]`: kill -9 of an agent, its shims and its containers. Exit code 1 on a violation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.ts';
import { runAgentChaos } from './chaos.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'rollcall-agent-chaos-'));
process.stdout.write(`agent chaos: ${values.seconds} s, seed ${values.seed}\n`);
const { violations, ...figures } = await runAgentChaos(
  folder,
  Number(values.seconds) * 1000,
  createRandom(Number(values.seed)).next,
);
process.stdout.write(`${JSON.stringify(figures)}\n`);
for (const violation of violations) process.stdout.write(`VIOLATED: ${violation}\n`);
if (violations.length === 0) rmSync(folder, { recursive: true, force: true });
process.exitCode = violations.length === 0 ? 0 : 1;
