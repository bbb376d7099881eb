import { describe, expect, it } from 'vitest';
import { parseChanges, planRelease, type Sources } from '../../../release/plan.ts';

const change = (kind: string, sentence: string): string => `---\nkind: ${kind}\n---\n\n${sentence}\n`;

const SOURCES: Sources = {
  changelog: '# Changelog\n\n## 0.1.0 - 2026-01-02\n\nAll.\n',
  manifest: '{\n  "name": "x",\n  "version": "0.1.0",\n  "type": "module"\n}\n',
  lock: `${JSON.stringify({ version: '0.1.0', lockfileVersion: 3, packages: { '': { version: '0.1.0', license: 'A' }, 'node_modules/y': { version: '0.1.0' } } }, null, 2)}\n`,
  changes: { 'b.md': change('added', 'Two.'), 'a.md': change('added', 'One.') },
};

describe('the plan of a release', () => {
  const plan = planRelease(SOURCES, 'minor', '2026-03-04');

  it('has the changes in the order of their files', () => {
    expect(plan.section).toBe('## 0.2.0 - 2026-03-04\n\n### Added\n\n- One.\n- Two.\n');
    expect(plan.changelog).toBe(SOURCES.changelog.replace('## 0.1.0', `${plan.section}\n## 0.1.0`));
  });

  it('changes the version of the package, and nothing else of its files', () => {
    expect(plan.version).toBe('0.2.0');
    expect(plan.manifest).toBe(SOURCES.manifest.replace('0.1.0', '0.2.0'));
    // The third one is that of another package.
    expect(plan.lock).toBe(SOURCES.lock.replace('0.1.0', '0.2.0').replace('0.1.0', '0.2.0'));
    expect(plan.lock).toContain('"version": "0.1.0"');
  });

  it.each([
    ['no change waits', { ...SOURCES, changes: {} }, 'minor', 'no change waits in .changes'],
    ['the version does not rise', SOURCES, '0.1.0', '0.1.0 does not lie above 0.1.0'],
    [
      'a change cannot be read',
      { ...SOURCES, changes: { 'c.md': 'x' } },
      'minor',
      '.changes/c.md: it begins',
    ],
  ])('is refused if %s', (_case, sources, wanted, fault) => {
    expect(() => planRelease(sources, wanted, '2026-03-04')).toThrow(fault);
  });
});

it('all files that cannot be read are named at once', () => {
  const files = { 'b.md': change('new', 'Two.'), 'a.txt': 'x', 'c.md': change('added', 'Three.') };
  expect(() => parseChanges(files)).toThrow(/^\.changes\/a\.txt: its name .*\n\.changes\/b\.md: between .*$/);
});
