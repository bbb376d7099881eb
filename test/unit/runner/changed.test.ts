import { describe, expect, it } from 'vitest';
import { changedScripts } from '../../runner/changed.ts';

const ALWAYS = ['test:format', 'test:lint', 'test:types', 'test:unused', 'test:architecture'];
const NAMES = [
  ...ALWAYS,
  'test:unit',
  'test:property',
  'test:contract',
  'test:host',
  'test:agent',
  'test:hostile',
  'bench',
];
const SCRIPTS = Object.fromEntries(NAMES.map((name) => [name, 'a command']));

describe('what npm run check -- --changed runs', () => {
  it.each([
    ['nothing', [], []],
    ['a page', ['docs/tour.md'], []],
    ['a file of a room', ['release/release.ts'], ['test:unit']],
    [
      'a file that was deleted',
      ['shared/ports/store/gone.ts'],
      ['test:unit', 'test:property', 'test:contract'],
    ],
    [
      'two rooms with a common script',
      ['release/a.ts', 'shared/ports/a.ts'],
      ['test:unit', 'test:property', 'test:contract'],
    ],
    ['a test', ['test/property/rules/a.prop.test.ts'], ['test:property']],
    ['a test of the host', ['test/host/process/a.test.ts'], ['test:host']],
    ['a test of the agent', ['test/host/agent/pods/a.test.ts'], ['test:agent']],
    [
      'what all suites stand on',
      ['test/support/objects/a.ts'],
      ['test:unit', 'test:property', 'test:contract'],
    ],
    ['a folder of tests without a script', ['test/localstack/deploy.ts'], []],
  ])('for %s', (_, files, expected) => {
    expect(changedScripts(files, SCRIPTS)).toEqual([...ALWAYS, ...expected]);
  });

  it('leaves out scripts that package.json does not have', () => {
    expect(changedScripts(['shared/ports/a.ts'], { 'test:types': 'tsc' })).toEqual(['test:types']);
  });
});
