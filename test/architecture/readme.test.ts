import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../shared/config/settings.ts';

const SECTION = /## Configuration\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8'))?.[1] ?? '';

/** Default by name, as the table shows them. */
const ROWS = new Map(
  [...SECTION.matchAll(/^\| `(\w+)` +\| (\S+) +\|/gm)].map(([, name = '', shown = '']) => [name, shown]),
);

describe('the configuration table of README.md', () => {
  it.each(Object.entries(SETTINGS))('has %s with its default', (name, { fallback, fallbackText }) => {
    const shown = fallback === undefined ? '–' : `\`${fallbackText}\``;
    expect(ROWS.get(name)).toBe(shown);
  });

  it('has no setting that does not exist', () => {
    expect([...ROWS.keys()]).toEqual(Object.keys(SETTINGS));
  });
});
