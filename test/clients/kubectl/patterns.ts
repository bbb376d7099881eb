/** Expected lines in which something differs from run to run, or from machine to machine. */
const PATTERNS: Readonly<Record<string, string>> = {
  age: String.raw`(?:\d+[smhdy]){1,2}`,
  any: '.*',
  duration: '[0-9.]+m?s',
  number: String.raw`\d+`,
  // Random letters of a generated name.
  suffix: '[a-z0-9]+',
  time: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
  micro: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`,
  date: String.raw`\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000`,
  uid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const NAMED = new RegExp(`\\{(${Object.keys(PATTERNS).join('|')})\\}`);

/** Columns are as wide as what differs in them: two spaces and more mean two and more. */
const literal = (text: string): string => escaped(text).replaceAll(/ {2,}/g, ' {2,}');

const patternOf = (expected: string): RegExp => {
  const parts = expected.split(NAMED).map((part, at) => (at % 2 === 0 ? literal(part) : PATTERNS[part]));
  return new RegExp(`^${parts.join('')}$`);
};

const matches = (expected: string, actual: string): boolean =>
  expected === actual || patternOf(expected).test(actual);

/** The most lines that can match between `expected` from i on and `actual` from j on. */
type Lengths = (i: number, j: number) => number;

const lengthsOf = (expected: readonly string[], actual: readonly string[]): Lengths => {
  const lengths = expected.map(() => actual.map(() => 0));
  const at: Lengths = (i, j) => lengths[i]?.[j] ?? 0;
  for (const [i, line] of [...expected.entries()].reverse())
    for (const [j, given] of [...actual.entries()].reverse()) {
      const row = lengths[i];
      if (row) row[j] = matches(line, given) ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
    }
  return at;
};

/**
 * What to compare `actual` with: `expected`, but with the actual line wherever the pattern allows it. Lines that are missing
 * or too many do not make those after them look wrong.
 */
export const resolved = (expected: readonly string[], actual: readonly string[]): readonly string[] => {
  const lengths = lengthsOf(expected, actual);
  let j = 0;
  return expected.map((line, i) => {
    for (; lengths(i, j) > lengths(i + 1, j); j += 1) {
      const given = actual[j];
      if (given === undefined || !matches(line, given)) continue;
      j += 1;
      return given;
    }
    return line;
  });
};
