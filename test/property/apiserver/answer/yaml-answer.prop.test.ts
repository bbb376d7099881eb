import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toYaml } from '../../../../shared/apiserver/answer/yaml-answer.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    'yes',
    '0x1',
    '1_000',
    '- a',
    'a: b',
    'a\nb\n',
    '\n\n',
    ' a ',
    'a\r\nb',
    '\u2028',
    '"',
    '~',
    '#',
  ),
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts,
    fc.oneof(
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 6 }),
  ),
}));

/** Repeats a value often enough that it is written in parts, deep inside and at the end. */
const large = fc
  .tuple(fc.dictionary(texts, value, { maxKeys: 4 }), fc.array(value, { minLength: 1, maxLength: 4 }), texts)
  .map(([map, list, key]) => {
    const items = Array.from({ length: 700 }, (_, index) => list[index % list.length]);
    const data = Object.fromEntries(items.map((item, index) => [`${key}${index}`, item]));
    return { ...map, [key]: data, items: [...items, data, items, { b: items, a: map }] };
  });

it('a body that is written in parts equals the body that is written at once', async () => {
  await fc.assert(
    fc.asyncProperty(large, async (body) => {
      let pauses = 0;
      const inParts = await toYaml(body, async () => {
        pauses += 1;
      });
      expect(pauses).toBeGreaterThan(1);
      expect(inParts).toBe(await toYaml(body));
    }),
    { numRuns: 20 },
  );
});
