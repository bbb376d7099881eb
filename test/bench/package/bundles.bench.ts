import { spawnSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiserverEnv } from '../../../lambdas/apiserver/env.ts';
import type { HeartbeatEnv } from '../../../lambdas/heartbeat/env.ts';
import { parseConfiguration } from '../../../shared/settings/aws/configuration.ts';
import { apiServerEnvironment, nodeLifecycleEnvironment } from '../../../shared/settings/aws/env.ts';
import { coldSize } from '../../infrastructure/cold-files.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { bundle, inTemporaryFolder, ROOT } from './bundle.ts';

const PROCESSES = 9;
const MOST_KB = 450;
/** It has the schemas of all kinds, and what `kubectl explain` tells. */
const MOST_KB_OF_APISERVER = 640;
/** Those of the heartbeat and two more; typed by the schema: a variable that is missing here does not compile. */
const VARIABLES: (typeof ApiserverEnv)['_zod']['input'] & (typeof HeartbeatEnv)['_zod']['input'] = {
  ...apiServerEnvironment(parseConfiguration()),
  ...nodeLifecycleEnvironment(parseConfiguration().nodeLifecycle),
  SCHEDULER_NAME: 'default-scheduler',
  DISABLE_FORCE_DETACH_ON_TIMEOUT: 'off',
  OBJECTS_TABLE: 'objects',
  CHANGES_TABLE: 'changes',
  HEARTBEATS_TABLE: 'heartbeats',
  CONTROL_TABLE: 'control',
  SIGNING_KEY_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:key',
  API_URL: 'https://api.example/',
  NODE_IPAM: 'off',
  CONDITION_TAINTS: 'on',
  RESPONSE_STREAM: 'off',
};

/** What the platform adds. */
const PLATFORM = {
  AWS_REGION: 'us-east-1',
  POWERTOOLS_SERVICE_NAME: 'rollcall',
  NODE_OPTIONS: '--enable-source-maps',
};

/** Functions for whose cold start somebody waits. */
const STARTED_BY_CALLERS = ['heartbeat', 'apiserver'];

const importer = (path: string): string =>
  `const before = process.cpuUsage(); await import(${JSON.stringify(path)}); const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / 1000)); process.exit()`;

/** Processor time, ms, that a fresh process takes to import the module: it depends less on what else the machine does. */
const importTime = (path: string): number => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', importer(path)],
    { encoding: 'utf8', env: { ...process.env, ...PLATFORM, ...VARIABLES } },
  );
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
};

const importTimes = (path: string): readonly number[] =>
  Array.from({ length: PROCESSES }, () => importTime(path));

const importFigures = (folder: string, paths: ReadonlyMap<string, string>): readonly Figure[] => {
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, 'export {};\n');
  const base = spread(importTimes(empty));
  return [
    { name: 'import of an empty module', unit: 'ms CPU', ...base },
    ...STARTED_BY_CALLERS.map((name) => {
      const cold = spread(importTimes(paths.get(name) ?? empty));
      const ratio = { value: cold.value / base.value, to: 'an empty module' };
      return { name: `cold import of ${name}'s bundle`, unit: 'ms CPU', ...cold, ratio };
    }),
  ];
};

const sizeOf = (name: string, path: string): Figure => ({
  name: `bundle of ${name}`,
  unit: 'KB',
  value: Math.round(coldSize(path) / 1024),
  target: { atMost: name === 'apiserver' ? MOST_KB_OF_APISERVER : MOST_KB },
});

const measure = async (folder: string, entries: readonly string[]): Promise<readonly Figure[]> => {
  const paths = new Map<string, string>();
  for (const entry of entries) {
    const name = entry.split('/').at(-2) ?? '';
    paths.set(name, await bundle(entry, join(folder, name)));
  }
  return [...importFigures(folder, paths), ...[...paths].map(([name, path]) => sizeOf(name, path))];
};

/** What a cold start reads of the functions' bundles, and what it spends on importing those that somebody waits for. */
export const bundles: Bench = async () => {
  const entries = globSync('lambdas/*/handler.ts', { cwd: ROOT }).toSorted();
  if (entries.length === 0) return { skipped: 'no handlers to bundle' };
  return inTemporaryFolder((folder) => measure(folder, entries));
};
