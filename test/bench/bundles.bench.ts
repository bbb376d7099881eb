import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeartbeatEnv } from '../../lambdas/heartbeat/env.ts';
import { parseConfiguration } from '../../shared/config/configuration.ts';
import { apiServerEnvironment } from '../../shared/config/env.ts';
import { bundle, inTemporaryFolder, ROOT } from './bundle.ts';
import type { Bench, Figure } from './figures.ts';
import { spread } from './statistics.ts';

const PROCESSES = 9;
const MOST_KB = 450;
/** It has the schemas of all kinds, and what `kubectl explain` tells. */
const MOST_KB_OF_APISERVER = 600;
/** Typed by the function's own schema: a variable that is missing here does not compile. */
const VARIABLES: (typeof HeartbeatEnv)['_zod']['input'] = {
  ...apiServerEnvironment(parseConfiguration()),
  OBJECTS_TABLE: 'objects',
  CHANGES_TABLE: 'changes',
  HEARTBEATS_TABLE: 'heartbeats',
  CONTROL_TABLE: 'control',
  SIGNING_KEY_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:key',
};

/** What the platform adds. */
const PLATFORM = {
  AWS_REGION: 'us-east-1',
  POWERTOOLS_SERVICE_NAME: 'heartbeat',
  NODE_OPTIONS: '--enable-source-maps',
};

const importer = (path: string): string =>
  `const t = performance.now(); await import(${JSON.stringify(path)}); process.stdout.write(String(performance.now() - t)); process.exit()`;

/** Milliseconds that a fresh process takes to import the module. */
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

const importFigures = (folder: string, path: string): readonly Figure[] => {
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, 'export {};\n');
  const base = spread(importTimes(empty));
  const cold = spread(importTimes(path));
  return [
    { name: 'import of an empty module', unit: 'ms', ...base },
    {
      name: 'cold import of the heartbeat bundle',
      unit: 'ms',
      ...cold,
      ratio: { value: cold.value / base.value, to: 'an empty module' },
    },
  ];
};

const sizeOf = (name: string, path: string): Figure => ({
  name: `bundle of ${name}`,
  unit: 'KB',
  value: Math.round(statSync(path).size / 1024),
  target: { atMost: name === 'apiserver' ? MOST_KB_OF_APISERVER : MOST_KB },
});

const measure = async (folder: string, entries: readonly string[]): Promise<readonly Figure[]> => {
  const sizes: Figure[] = [];
  const pathOf = (name: string): string => join(folder, name, 'index.mjs');
  for (const entry of entries) {
    const name = entry.split('/').at(-2) ?? '';
    await bundle(entry, pathOf(name));
    sizes.push(sizeOf(name, pathOf(name)));
  }
  const heartbeat = pathOf('heartbeat');
  return existsSync(heartbeat) ? [...importFigures(folder, heartbeat), ...sizes] : sizes;
};

/** Sizes of the functions' bundles, and what a cold start spends on importing the heartbeat's. */
export const bundles: Bench = async () => {
  const entries = globSync('lambdas/*/handler.ts', { cwd: ROOT }).toSorted();
  if (entries.length === 0) return { skipped: 'no handlers to bundle' };
  return inTemporaryFolder((folder) => measure(folder, entries));
};
