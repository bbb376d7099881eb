/** The template is the stored template. `npm run synthesis` stores it again, for a change that is meant to change resources. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../shared/settings/settings.ts';
import { ALL_SETTINGS, TEMPLATES } from './configurations.ts';
import {
  changesOf,
  type Digests,
  digestsOf,
  type StoredTemplate,
  storedDigests,
  storedOf,
} from './template.ts';

const PATH = 'test/infrastructure/template.json';
const DRAW = process.env['ROLLCALL_DRAW'] === '1';

/** Settings that exclude others: `cloudProviderUrl` goes with webhooks, `nodeCidrMaskSize` with one range. */
const EXCLUDED = [
  'cloudProviderUrl',
  'controllers',
  'nodeCidrMaskSize',
  'paused',
  'profile',
  'state',
  'stateGeneration',
];

const readStored = (): Readonly<Record<string, StoredTemplate>> => JSON.parse(readFileSync(PATH, 'utf8'));

const store = (name: string, template: StoredTemplate): void =>
  writeFileSync(PATH, `${JSON.stringify({ ...readStored(), [name]: template }, null, 2)}\n`);

const storedTemplate = (name: string): StoredTemplate => readStored()[name] ?? { sha256: '', parts: {} };

/** The digests from which those of the other configurations are told. */
const defaultsFor = (name: string): Digests =>
  name === 'default' ? {} : storedDigests(storedTemplate('default'), {});

describe('the template', () => {
  it.each(Object.keys(TEMPLATES))('has the stored resources: %s', (name) => {
    const template = TEMPLATES[name]?.() ?? { resources: {}, outputs: {} };
    const found = storedOf(template, defaultsFor(name));
    if (DRAW) store(name, found);
    const before = storedDigests(storedTemplate(name), defaultsFor(name));
    expect(changesOf(before, digestsOf(template)), 'run `npm run synthesis` if this is meant').toEqual([]);
    expect(storedTemplate(name), 'the order of the resources').toEqual(found);
  });

  it('has a value for each setting that goes with all others', () => {
    const names = Object.keys(SETTINGS).filter((name) => !EXCLUDED.includes(name));
    expect(Object.keys(ALL_SETTINGS).toSorted()).toEqual(names.toSorted());
  });
});

describe('the digests of a template', () => {
  const template = { resources: {}, outputs: {} };
  const resource = (value: string) => ({ Type: 'AWS::SQS::Queue', Properties: { value } });
  const before = { ...template, resources: { A: resource('1'), B: resource('2') } };

  it('tell what was added, removed and changed', () => {
    const after = { resources: { A: resource('9'), C: resource('2') }, outputs: { Url: 'u' } };
    const changes = ['added C', 'added Outputs/Url', 'removed B', 'changed A'];
    expect(changesOf(digestsOf(before), digestsOf(after))).toEqual(changes);
    expect(changesOf(digestsOf(before), digestsOf(before))).toEqual([]);
  });

  it('do not depend on the code of functions', () => {
    const code = (digit: string) => ({ ...template, resources: { A: resource(`${digit.repeat(64)}.zip`) } });
    expect(digestsOf(code('a'))).toEqual(digestsOf(code('b')));
  });

  it('are stored as differences from the default, and read back', () => {
    const defaults = digestsOf(before);
    const other = { ...template, resources: { A: resource('1'), C: resource('3') } };
    const stored = storedOf(other, defaults);
    expect(stored.parts).toEqual({ C: digestsOf(other)['C'], B: null });
    expect(changesOf(digestsOf(other), storedDigests(stored, defaults))).toEqual([]);
  });
});
