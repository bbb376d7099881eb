/** `npm run build:agent [-- --executable]`: the agent in one file, and as one executable for Linux. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeAgentExecutable } from './agent-executable.ts';
import { bundleAgent } from './agent-file.ts';
import { ROOT } from './es-modules.ts';

const { values } = parseArgs({ options: { executable: { type: 'boolean', default: false } } });
const file = await bundleAgent(`${ROOT}dist-agent`);
const made = values.executable ? [file, makeAgentExecutable(file)] : [file];
for (const path of made)
  process.stdout.write(`${path.slice(ROOT.length)}  ${(statSync(path).size / 1e6).toFixed(1)} MB\n`);
