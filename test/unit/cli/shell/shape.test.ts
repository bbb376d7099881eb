import { globSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Described, shapeOf } from '../../../../cli/shell/shape.ts';
import { HOLD_CLASSES } from '../../../../shared/kube/types/hold.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const NAMES = [...(await runCommandLine('--help')).printed.matchAll(/^ {2}([a-z-]+) /gm)].map(
  ([, name = '']) => name,
);
const FILES = new Map(globSync('cli/**/*.ts').map((path) => [basename(path, '.ts'), resolve(path)]));

const moduleOf = (name: string): Promise<Described> => import(FILES.get(name) ?? name);

describe('what shells complete', () => {
  it.each(NAMES.filter((name) => FILES.has(name)))(
    'has each option of %s with its description',
    async (name) => {
      const described = await moduleOf(name);
      const { options } = shapeOf(name, '', described);
      expect(options.map((option) => option.name)).toEqual([...Object.keys(described.OPTIONS ?? {}), 'help']);
      expect(options.filter(({ description }) => description === '')).toEqual([]);
    },
  );

  it.each([
    ['serve', 'folder', 'folders'],
    ['serve', 'cloud-provider-file', 'files'],
    ['serve', 'fast', undefined],
    ['agent', 'root-dir', 'folders'],
    ['token', 'node', 'nodes'],
    ['token', 'user', 'anything'],
    ['outage', 'zone', 'zones'],
    ['explain', 'output', ['text', 'json', 'yaml']],
    ['cost', 'output', ['text', 'json']],
    ['explain', 'kubeconfig', 'files'],
    ['drain', 'context', 'contexts'],
    ['hold', 'zones', 'zones'],
    ['hold', 'stops', HOLD_CLASSES],
    ['serve', 'event-sink', 'anything'],
  ])('of %s --%s is known what its value may be', async (name, option, value) => {
    const { options } = shapeOf(name, '', await moduleOf(name));
    expect(options.find((one) => one.name === option)?.value).toEqual(value);
  });

  it.each([
    ['drain', [{ words: [], lookups: ['nodes'] }]],
    ['resume', [{ words: [], lookups: ['holds'] }]],
    [
      'backup',
      [
        { words: ['create', 'restore'], lookups: [] },
        { words: [], lookups: ['files'] },
      ],
    ],
    ['agent', [{ words: ['run', 'install', 'status', 'logs', 'uninstall'], lookups: [] }]],
    ['rotate-key', [{ words: ['status', 'prepare', 'use', 'retire'], lookups: [] }]],
    [
      'explain',
      [
        { words: ['node', 'pod', 'zone'], lookups: [] },
        { words: [], lookups: ['object'] },
      ],
    ],
    [
      'simulate',
      [
        { words: ['all', 'replay', 'fleet', 'list'], lookups: ['scenarios', 'files'] },
        { words: [], lookups: ['files'] },
      ],
    ],
    ['token', []],
    ['serve', [{ words: ['install', 'uninstall', 'status', 'logs'], lookups: [] }]],
    ['relay', [{ words: ['install', 'uninstall', 'status', 'logs'], lookups: [] }]],
  ])('the words of %s that are no options stand in its usage', async (name, places) => {
    expect(shapeOf(name, '', await moduleOf(name)).places).toEqual(places);
  });
});
