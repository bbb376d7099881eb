import { describe, expect, it } from 'vitest';
import { expanded } from '../../../../../../agent/rules/containers/environment/expansion.ts';

const VARIABLES = new Map([
  ['VAR_A', 'A'],
  ['VAR_B', 'B'],
  ['VAR_REF', '$(VAR_A)'],
  ['VAR_EMPTY', ''],
]);

describe('expanded', () => {
  it.each([
    ['whole text', '$(VAR_A)', 'A'],
    ['within a text', '___$(VAR_B)___', '___B___'],
    ['several', '$(VAR_A)_$(VAR_B)_$(VAR_A)', 'A_B_A'],
    ['an empty variable', 'foo$(VAR_EMPTY)bar', 'foobar'],
    ['what a variable holds is not read again', '$(VAR_REF)', '$(VAR_A)'],
    ['an unknown variable', 'foo$(NONE)bar', 'foo$(NONE)bar'],
    ['an escaped reference', '$$(VAR_A)', '$(VAR_A)'],
    ['an escaped escape', '$$$(VAR_A)', '$A'],
    ['two escapes', '$$$$(VAR_A)', '$$(VAR_A)'],
    ['an open reference', 'f$(VAR_A', 'f$(VAR_A'],
    ['an open reference before a whole one', '$($(VAR_B)', '$($(VAR_B)'],
    ['no name', '$()', '$()'],
    ['a lone operator', '$', '$'],
    ['an operator before another character', '$VAR_A $x$(VAR_A)', '$VAR_A $xA'],
    ['an escape after the last reference', '$(VAR_A)$$(VAR_B', 'A$(VAR_B'],
    ['names with spaces are not known', '$( VAR_A )', '$( VAR_A )'],
  ])('%s', (_name, text, wanted) => {
    expect(expanded(text, (name) => VARIABLES.get(name))).toBe(wanted);
  });
});
