import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const EXPORT =
  /^export (?:async |abstract )?(?:const|let|function\*?|class|interface|type|enum) (?<name>[\w$]+)/;

/** The names that `source` exports and that have no docstring directly above them. */
const undocumentedIn = (source: string): readonly string[] => {
  const lines = source.split('\n').filter((line) => !line.startsWith('// biome-ignore'));
  return lines.flatMap((line, index) => {
    const name = EXPORT.exec(line)?.groups?.['name'];
    return name === undefined || lines[index - 1]?.endsWith('*/') ? [] : [name];
  });
};

describe.each(['apiserver', 'ports', 'rules', 'store'])('the room shared/%s', (room) => {
  it('says of each exported value and type what it does', () => {
    const files = globSync(`shared/${room}/**/*.ts`);
    const missing = files.flatMap((path) =>
      undocumentedIn(readFileSync(path, 'utf8')).map((name) => `${path}: ${name}`),
    );
    expect(files).not.toEqual([]);
    expect(missing).toEqual([]);
  });
});

describe('an exported declaration', () => {
  it.each([
    ['without a docstring', 'export const a = 1;', ['a']],
    ['with a comment instead of a docstring', '// One.\nexport type A = 1;', ['A']],
    ['below a docstring of another one', '/** One. */\nexport const a = 1;\nexport const b = 2;', ['b']],
    ['with a docstring', '/** One. */\nexport async function* a() {}', []],
    ['with a docstring of several lines', '/**\n * One.\n */\nexport interface A {}', []],
  ])('%s', (_case, source, missing) => {
    expect(undocumentedIn(source)).toEqual(missing);
  });
});
