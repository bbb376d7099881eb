import { expect, it } from 'vitest';
import { warningHeader } from '../../../../shared/apiserver/contract/warnings.ts';

it.each([
  ['nothing', [], undefined],
  ['one', ['unknown field "spec.foo"'], '299 - "unknown field \\"spec.foo\\""'],
  ['several in one line', ['a', 'b'], '299 - "a", 299 - "b"'],
  ['the same one once', ['a', 'a'], '299 - "a"'],
  ['backslashes', ['a\\b'], '299 - "a\\\\b"'],
  ['no text with control characters', ['a\nb', 'c'], '299 - "c"'],
  ['the bytes of other scripts', ['ä'], '299 - "Ã¤"'],
])('sends %s', (_what, texts, header) => {
  expect(warningHeader(texts)).toBe(header);
});

it('cuts long texts when there are too many characters, and stops after 4096', () => {
  const texts = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(300)}`);
  const sent = warningHeader(texts)?.split(', ') ?? [];
  expect(sent).toHaveLength(16);
  expect(sent[0]).toBe(`299 - "0 ${'x'.repeat(254)}"`);
});
