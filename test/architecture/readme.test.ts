import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../shared/config/settings.ts';

const README = readFileSync('README.md', 'utf8');

describe('the configuration table of README.md', () => {
  it.each(Object.entries(SETTINGS))('has %s with its default', (name, { fallback, fallbackText }) => {
    const shown = fallback === undefined ? '–' : `\`${fallbackText}\``;
    expect(README).toContain(`| \`${name}\` | ${shown} |`);
  });

  it('has no setting that does not exist', () => {
    const listed = [...README.matchAll(/^\| `(\w+)` \| (?:–|`[^`]+`) \|/gm)].map((row) => row[1]);
    expect(listed).toEqual(Object.keys(SETTINGS));
  });
});
