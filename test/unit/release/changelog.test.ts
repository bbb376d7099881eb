import { describe, expect, it } from 'vitest';
import { newestRelease, sectionOf, withSection } from '../../../release/plan.ts';

const HEAD = '# Changelog\n\nWhat changed.\n';
const OLD = '## 0.1.0 - 2026-01-02\n\nAll.\n';

describe('the section of a release', () => {
  it('has its changes below headings of their kinds, in the order of Keep a Changelog', () => {
    const section = sectionOf('0.2.0', '2026-03-04', [
      { kind: 'fixed', sentence: 'Three.' },
      { kind: 'added', sentence: 'Two.' },
      { kind: 'security', sentence: 'Four.' },
      { kind: 'added', sentence: 'One.' },
    ]);
    expect(section).toBe(
      [
        '## 0.2.0 - 2026-03-04\n',
        '### Added\n\n- Two.\n- One.\n',
        '### Fixed\n\n- Three.\n',
        '### Security\n\n- Four.\n',
      ].join('\n'),
    );
  });

  it.each([
    ['above that of the newest release', `${HEAD}\n${OLD}`, `${HEAD}\nNEW\n\n${OLD}`],
    ['at the end if there was no release', HEAD, `${HEAD}\nNEW\n`],
  ])('is put %s', (_case, before, after) => {
    expect(withSection(before, 'NEW\n')).toBe(after);
  });
});

describe('the newest release of a CHANGELOG', () => {
  it.each([
    [`${HEAD}\n## 0.2.0 - 2026-03-04\n\nMore.\n\n${OLD}`, '0.2.0'],
    [OLD, '0.1.0'],
    [HEAD, undefined],
    ['## Unreleased\n', undefined],
  ])('of %j is %s', (changelog, version) => {
    expect(newestRelease(changelog)).toBe(version);
  });
});
