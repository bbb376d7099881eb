import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { OPTIONS as DOCTOR } from '../../cli/cluster/doctor.ts';
import { SETTING_OPTIONS } from '../../cli/host/setting-options.ts';
import { HOST_SETTING_NAMES, variableOf } from '../../shared/settings/host-settings.ts';

// Images are not built here: that needs Docker and a registry. What can be compared without them is.
const DOCKERFILE = readFileSync('Dockerfile', 'utf8').replaceAll(/\\\n/g, '');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const { services } = parse(readFileSync('compose.yaml', 'utf8'));
const archive = `rollcall-${version}.tgz`;

const argumentsOf = (instruction: string): string =>
  new RegExp(`^(?:HEALTHCHECK.* )?${instruction} (.*)$`, 'm').exec(DOCKERFILE)?.[1] ?? '';

const folder = argumentsOf('VOLUME');

it('the image copies what npm pack writes, and nothing else reaches its build', () => {
  const [source = ''] = argumentsOf('COPY').split(' ');
  expect(matchesGlob(archive, source)).toBe(true);
  expect(readFileSync('.dockerignore', 'utf8').trim().split('\n')).toEqual(['*', `!${source}`]);
});

it('the image runs as another user than root, who owns the folder of the state', () => {
  expect(argumentsOf('USER')).toBe('node');
  expect(DOCKERFILE).toContain(`chown node:node ${folder}`);
  expect(argumentsOf('ENV')).toBe(`${variableOf('folder')}=${folder}`);
});

it('the image is started and looked at without a shell, by options that there are', () => {
  const lists = [...DOCKERFILE.matchAll(/^(?:HEALTHCHECK.* )?CMD (\[.*\])$/gm)];
  const [health = [], serve = []] = lists.map(([, list = '']) => JSON.parse(list) as string[]);
  expect(health.slice(0, 2)).toEqual(['rollcall', 'doctor']);
  expect(serve[0]).toBe('serve');
  const flags = (words: readonly string[]): readonly string[] =>
    words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  expect(Object.keys(DOCTOR)).toEqual(expect.arrayContaining([...flags(health)]));
  expect(Object.keys(SETTING_OPTIONS)).toEqual(expect.arrayContaining([...flags(serve)]));
});

it('the compose file mounts the folder of the image, publishes its port and sets settings that there are', () => {
  const { volumes, ports, environment } = services.rollcall;
  expect(volumes).toEqual([`state:${folder}`]);
  expect(ports).toEqual([`${argumentsOf('EXPOSE')}:${argumentsOf('EXPOSE')}`]);
  const variables = HOST_SETTING_NAMES.map(variableOf);
  expect(Object.keys(environment).filter((name) => !variables.includes(name))).toEqual([]);
});
