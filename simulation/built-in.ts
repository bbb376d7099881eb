import { ownFiles } from '../shared/serving/machine/own-files.ts';
import type { Scenario } from './plan/scenario.ts';
import { parseScenario } from './plan/scenario.ts';

const files = () => ownFiles('scenarios', import.meta.url);

/** Names of the scenarios that come with Rollcall. */
export const builtInNames = (): readonly string[] =>
  files()
    .names.flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []))
    .toSorted();

/** Throws if there is no built-in scenario of this name. */
export const builtInScenario = (name: string): Scenario =>
  parseScenario(files().read(`${name}.yaml`).toString(), `${name}.yaml`);
