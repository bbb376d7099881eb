import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario } from './scenario.ts';
import { parseScenario } from './scenario.ts';

const FOLDER = fileURLToPath(new URL('./scenarios/', import.meta.url));

/** Names of the scenarios that come with Rollcall. */
export const builtInNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []))
    .toSorted();

/** Throws if there is no built-in scenario of this name. */
export const builtInScenario = (name: string): Scenario =>
  parseScenario(readFileSync(`${FOLDER}${name}.yaml`, 'utf8'), `${name}.yaml`);
