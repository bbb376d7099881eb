import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOST_SETTING_NAMES, HOST_SETTINGS, SHARED_NAMES } from '../../shared/settings/host-settings.ts';
import { SETTINGS } from '../../shared/settings/settings.ts';

const PAGE = readFileSync('docs/settings.md', 'utf8');

/** Default by name, as the table of a section shows them. */
const rowsOf = (title: string): ReadonlyMap<string, string> => {
  const section = PAGE.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (\S+) +\|/gm)];
  return new Map(rows.map(([, name = '', shown = '']) => [name, shown]));
};

const ROWS = rowsOf('The control plane');
const HOST_ROWS = rowsOf('A host alone');

describe('the table of the control plane in docs/settings.md', () => {
  it.each(Object.entries(SETTINGS))('has %s with its default', (name, { fallback, fallbackText }) => {
    const shown = fallback === undefined ? '–' : `\`${fallbackText}\``;
    expect(ROWS.get(name)).toBe(shown);
  });

  it('has no setting that does not exist', () => {
    expect([...ROWS.keys()]).toEqual(Object.keys(SETTINGS));
  });
});

describe('the table of the host in docs/settings.md', () => {
  const own = HOST_SETTING_NAMES.filter((name) => !SHARED_NAMES.some((shared) => shared === name));

  it.each(own)('has %s with its default', (name) => {
    const { fallback, fallbackText } = HOST_SETTINGS[name].setting;
    expect(HOST_ROWS.get(name)).toBe(fallback === undefined ? '–' : `\`${fallbackText}\``);
  });

  it('has no setting that does not exist', () => {
    expect([...HOST_ROWS.keys()]).toEqual(own);
  });
});
