import { describe, expect, it } from 'vitest';
import { parseFocusList, readFocusList } from '../../../e2e/focus-list.ts';

describe('a list of tests', () => {
  it('has expressions, and what is left out with the reason', () => {
    const text =
      '# a comment\n\nReplicaSet\nskip (by|the) rc because nobody: not served\nsig-apps\\] Daemon set\n';
    expect(parseFocusList(text)).toEqual({
      focuses: ['ReplicaSet', 'sig-apps\\] Daemon set'],
      skips: [{ pattern: '(by|the) rc', reason: 'nobody: not served' }],
    });
  });

  it.each(['skip quota', 'skip  because reasons', 'skip quota because '])('refuses "%s"', (line) => {
    expect(() => parseFocusList(line)).toThrow('skipped without a reason');
  });

  it.each(['focuses.txt', 'controllers.txt'])('of the checkout can be read: %s', (name) => {
    const { focuses, skips } = readFocusList(name);
    for (const pattern of [...focuses, ...skips.map((skip) => skip.pattern)])
      expect(() => new RegExp(pattern, 'v')).not.toThrow();
    expect(focuses.length).toBeGreaterThan(0);
  });
});
