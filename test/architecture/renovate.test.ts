import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';

interface Rule {
  readonly matchPackageNames?: readonly string[];
  readonly matchDepNames?: readonly string[];
}

const { packageRules } = JSON.parse(readFileSync('renovate.json', 'utf8')) as {
  readonly packageRules: readonly Rule[];
};
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

it("the groups of renovate.json name packages of package.json, so that no update leaves its group by a package's new name", () => {
  const names = packageRules.flatMap(({ matchPackageNames = [], matchDepNames = [] }) => [
    ...matchPackageNames.filter((name) => name !== '*'),
    ...matchDepNames,
  ]);
  const isUsed = (name: string): boolean =>
    Object.keys(devDependencies).some((used) => matchesGlob(used, name));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});

it('every version of package.json is exact, which "rangeStrategy": "pin" keeps', () => {
  const isExact = (version: string): boolean =>
    /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version);
  expect(Object.entries(devDependencies).filter(([, version]) => !isExact(version))).toEqual([]);
});
