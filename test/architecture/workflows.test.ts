import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const stepsOf = (path: string): readonly Step[] =>
  Object.values((parse(readFileSync(path, 'utf8')) as Workflow).jobs).flatMap(({ steps }) => steps);

it('the actions of workflows have exact versions', () => {
  const used = globSync('.github/workflows/*.yml')
    .flatMap(stepsOf)
    .flatMap(({ uses }) => uses ?? []);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/^[\w-]+\/[\w/-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

it('continuous integration runs .ci/run in the image of the development container, with its options', () => {
  const { runArgs } = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8')) as {
    readonly runArgs: readonly string[];
  };
  const commands = stepsOf('.github/workflows/ci.yml').flatMap(({ run }) => run ?? []);
  expect(commands).toContainEqual(expect.stringMatching(/^docker build .*\.devcontainer$/));
  const [words] = commands
    .filter((command) => command.startsWith('docker run'))
    .map((command) => command.split(' '));
  expect(words).toEqual(expect.arrayContaining([...runArgs]));
  expect(words?.at(-1)).toBe('.ci/run');
});
