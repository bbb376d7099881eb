/** `npm run build:executable`: the whole program as one executable for Linux. */
import { statSync } from 'node:fs';
import { ROOT } from './es-modules.ts';
import { makeProgramExecutable } from './program-executable.ts';

const path = await makeProgramExecutable(`${ROOT}dist-executable`);
process.stdout.write(`${path.slice(ROOT.length)}  ${(statSync(path).size / 1e6).toFixed(1)} MB\n`);
