import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly inBundle?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, Locked>>;
};

it('locks the packages of every platform: npm leaves out those that a registry lacks, and `npm ci` then refuses', () => {
  const missing = Object.entries(packages)
    .filter(([, { inBundle }]) => !inBundle)
    .flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies))
    .filter((name) => !(`node_modules/${name}` in packages));
  expect(missing).toEqual([]);
});
