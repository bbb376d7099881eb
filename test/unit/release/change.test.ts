import { describe, expect, it } from 'vitest';
import { KINDS, parseChange } from '../../../release/change.ts';

const textWith = (head: string, body: string): string => `---\n${head}\n---\n${body}`;

describe('the file of a change', () => {
  it.each(KINDS)('of the kind %s is read', (kind) => {
    const text = textWith(`kind: ${kind}`, '\nNodes have names.\n');
    expect(parseChange('names.md', text)).toEqual({ kind, sentence: 'Nodes have names.' });
  });

  it.each([
    ['without blank lines', textWith('kind: added', 'One.')],
    ['with lines that end as on Windows', textWith('kind: added', '\nOne.\n').replaceAll('\n', '\r\n')],
    ['with a quoted kind', textWith('kind: "added"', '\nOne.\n')],
    ['with a comment in its head', textWith('# for users\nkind: added', '\nOne.\n')],
  ])('is read %s', (_case, text) => {
    expect(parseChange('one.md', text)).toEqual({ kind: 'added', sentence: 'One.' });
  });

  it.each([
    ['One\n  two\nthree.', 'One two three.'],
    ['`a` is at [b](docs/b.md).', '`a` is at [b](docs/b.md).'],
    ['One (and two.)', 'One (and two.)'],
    ['-1 is a number.', '-1 is a number.'],
  ])('with the text %j says %j', (body, sentence) => {
    expect(parseChange('x.md', textWith('kind: fixed', body)).sentence).toBe(sentence);
  });

  it.each([
    ['', 'begins with a line ---'],
    ['kind: added\n\nOne.', 'begins with a line ---'],
    ['---\nkind: added\n\nOne.\n', 'begins with a line ---'],
    [textWith('kind: new', 'One.'), 'one of added, changed, removed, fixed, security'],
    [textWith('kind: Added', 'One.'), 'stands only "kind: "'],
    [textWith('kind:', 'One.'), 'stands only "kind: "'],
    [textWith('', 'One.'), 'stands only "kind: "'],
    [textWith('added', 'One.'), 'stands only "kind: "'],
    [textWith('kind: added\nscope: cli', 'One.'), 'stands only "kind: "'],
    [textWith('kind: [added', 'One.'), 'Flow sequence'],
    [textWith('kind: added', '\n'), 'stands one paragraph'],
    [textWith('kind: added', 'One.\n\nTwo.'), 'stands one paragraph'],
    [textWith('kind: added', '- One.'), 'begins with a word'],
    [textWith('kind: added', '## One.'), 'begins with a word'],
    [textWith('kind: added', '1. One.'), 'begins with a word'],
    [textWith('kind: added', 'One'), 'ends with a full stop'],
  ])('with the content %j is refused: %s', (text, fault) => {
    expect(() => parseChange('x.md', text)).toThrow(fault);
  });

  it.each(['x', 'x.txt', 'X.md', 'a_b.md', 'a b.md', '-a.md', '.md'])('is refused by the name %s', (name) => {
    expect(() => parseChange(name, textWith('kind: added', 'One.'))).toThrow('its name is lower-case words');
  });
});
