import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CONTROLLERS } from '../../lambdas/controllers.ts';
import { GROUP_NAMES, GROUPS, type GroupName } from '../../lambdas/groups.ts';
import {
  type Assembly,
  bundleOf,
  environmentOf,
  functionsByName,
  type Resource,
  synthWithBundles,
} from './assembly.ts';
import { coldFiles, coldSize } from './cold-files.ts';

const KB = 1024;
/** Most bytes of a function's bundle that a cold start may read, by name; 600 KB for all other functions. */
const BUDGET: Readonly<Record<string, number>> = {
  apiserver: 662 * KB,
  heartbeat: 450 * KB,
  workloads: 660 * KB,
};
const DEFAULT_BUDGET = 600 * KB;
/** Bytes of all modules of a function's bundle, by name. `npm run synthesis` stores them again. */
const SIZES = 'test/infrastructure/bundle-sizes.json';
const DRAW = process.env['ROLLCALL_DRAW'] === '1';
const MOST_GROWTH = 1.01;
const HANDLER_LINES = 42;

const FOLDERS = globSync('lambdas/*/handler.ts').map((path) => path.split('/')[1] ?? '');
const NAMES: readonly string[] = [...FOLDERS, ...GROUP_NAMES];
const isGroup = (name: string): name is GroupName => Object.hasOwn(GROUPS, name);
/** The folders of controllers whose code a function has. */
const ownFolders = (name: string): readonly string[] => (isGroup(name) ? GROUPS[name].controllers : [name]);
const CONTROLLER_FOLDERS: readonly string[] = CONTROLLERS.map(({ name }) => name);
const CREDENTIALS = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

let assembly: Assembly;
let functions: ReadonlyMap<string, Resource>;

beforeAll(() => {
  assembly = synthWithBundles();
  functions = functionsByName(assembly);
}, 120_000);

const functionOf = (folder: string): Resource => {
  const found = functions.get(folder);
  if (!found) throw new Error(`the stack has no function of lambdas/${folder}`);
  return found;
};

/** Bytes of all modules of the bundle, those that are loaded on demand included. */
const bundleBytes = (folder: string): number =>
  globSync(`${dirname(bundleOf(assembly, functionOf(folder)))}/*.mjs`)
    .map((path) => statSync(path).size)
    .reduce((sum, bytes) => sum + bytes, 0);

/** Loads the bundle as Lambda does. Returns how long the import took (ms). */
const coldImport = (folder: string, environment: Readonly<Record<string, string>>): number => {
  const url = pathToFileURL(bundleOf(assembly, functionOf(folder))).href;
  const script = `const at = performance.now(); const { handler } = await import('${url}');
    if (typeof handler !== 'function') throw new Error('no handler'); console.log(performance.now() - at);`;
  const args = ['--input-type=module', '--eval', script];
  return Number(
    execFileSync(resolve('node_modules/.bin/node'), args, {
      encoding: 'utf8',
      env: environment,
      stdio: 'pipe',
    }),
  );
};

describe('the functions', () => {
  it('exist for each handler under lambdas/ and each group, and no others', () => {
    expect([...functions.keys()].toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('%s: its environment satisfies its schema', async (name) => {
    const folder = isGroup(name) ? 'group' : name;
    const schemas: Readonly<Record<string, z.ZodMiniType>> = await import(`../../lambdas/${folder}/env.ts`);
    const [schema] = Object.values(schemas);
    if (!schema) throw new Error(`lambdas/${folder}/env.ts exports nothing`);
    expect(z.safeParse(schema, environmentOf(functionOf(name)))).toMatchObject({ success: true });
  });

  it.each(NAMES)('%s: starts with that environment and fails without it', (folder) => {
    const environment = { ...environmentOf(functionOf(folder)), ...CREDENTIALS };
    const ms = coldImport(folder, environment);
    const size = coldSize(bundleOf(assembly, functionOf(folder)));
    process.stdout.write(
      `${folder.padEnd(16)}${Math.round(size / KB)} KB, imported in ${Math.round(ms)} ms\n`,
    );
    expect(() => coldImport(folder, CREDENTIALS)).toThrow('OBJECTS_TABLE is missing');
  });

  it.each(NAMES)('%s: its bundle is within its budget', (folder) => {
    const size = coldSize(bundleOf(assembly, functionOf(folder)));
    expect(size).toBeLessThanOrEqual(BUDGET[folder] ?? DEFAULT_BUDGET);
  });

  it('have bundles that are at most 1 % larger than the stored sizes', () => {
    const found = Object.fromEntries(NAMES.toSorted().map((folder) => [folder, bundleBytes(folder)]));
    if (DRAW) writeFileSync(SIZES, `${JSON.stringify(found, null, 2)}\n`);
    const stored: Readonly<Record<string, number>> = JSON.parse(readFileSync(SIZES, 'utf8'));
    for (const [folder, bytes] of Object.entries(found))
      process.stdout.write(`${folder.padEnd(20)}${bytes} bytes, stored ${stored[folder]}\n`);
    const isLarger = ([folder, bytes]: [string, number]) => bytes > (stored[folder] ?? 0) * MOST_GROWTH;
    expect(Object.entries(found).filter(isLarger)).toEqual([]);
    expect(Object.keys(stored)).toEqual(Object.keys(found));
  });

  it.each(NAMES)(
    '%s: its bundle contains no code of controllers that it does not run, except their routing in the change router',
    (name) => {
      const index = bundleOf(assembly, functionOf(name));
      const { sources }: { sources: readonly string[] } = JSON.parse(readFileSync(`${index}.map`, 'utf8'));
      const parts = sources.flatMap((path) => {
        const [, folder = '', file = ''] = /\/lambdas\/([^/]+)\/(.+)$/.exec(path) ?? [];
        return folder === '' ? [] : [{ folder, file }];
      });
      const foreign = parts.filter(
        ({ folder }) =>
          [...FOLDERS, ...CONTROLLER_FOLDERS].includes(folder) && !ownFolders(name).includes(folder),
      );
      const outside = ['controller.ts', 'queue.ts', 'routing.ts'];
      expect(foreign.filter(({ file }) => name !== 'change-router' || !outside.includes(file))).toEqual([]);
      const file = isGroup(name) ? 'work.ts' : 'handler.ts';
      const found = parts.filter((part) => part.file === file).map(({ folder }) => folder);
      expect(found.toSorted()).toEqual(ownFolders(name).toSorted());
    },
  );

  it('apiserver: its YAML, OpenAPI and Table code is in separate files that are loaded on demand', async () => {
    const index = bundleOf(assembly, functionOf('apiserver'));
    const cold = coldFiles(index);
    const later = globSync(`${dirname(index)}/*.mjs`).filter((path) => !cold.has(path));
    const loaded: object[] = await Promise.all(later.map((path) => import(pathToFileURL(path).href)));
    const names = loaded.flatMap((module) => Object.keys(module));
    expect(names).toEqual(
      expect.arrayContaining(['createOpenApi', 'parseYaml', 'printerOf', 'readYaml', 'toYaml']),
    );
  });

  it.each(FOLDERS)('%s: its handler only wires parts together and has no logic', (folder) => {
    const lines = readFileSync(`lambdas/${folder}/handler.ts`, 'utf8').split('\n');
    expect(lines.length).toBeLessThanOrEqual(HANDLER_LINES);
    expect(lines.filter((line) => /\b(if|for|while|switch|try)\b/.test(line))).toEqual([]);
  });

  it('have the same runtime, architecture and log configuration', () => {
    for (const [folder, { Properties }] of functions) {
      expect(Properties, folder).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', ApplicationLogLevel: 'INFO' },
      });
    }
  });
});
