import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const textOf = (path: string): string => readFileSync(path, 'utf8');

const rowIdsOf = (page: string): readonly string[] => page.match(/(?<=^\| )[A-Z]-\d{2,3}(?= )/gm) ?? [];

/** `D-nn` are differences from Kubernetes, which `named-differences.test.ts` looks at. */
const ID = /\b[A-CE-Z]-\d{2,3}\b/g;

const PAGES = {
  'shared/rules': textOf('shared/rules/README.md'),
  'shared/store': textOf('shared/store/README.md'),
};
const documented = Object.values(PAGES).flatMap(rowIdsOf);

const tests = globSync('test/**/*.ts').filter((path) => !path.startsWith('test/architecture/'));
const cited = new Set(tests.flatMap((path) => textOf(path).match(ID) ?? []));

describe('the ids of rules', () => {
  it('are each given once', () => {
    expect(documented.length).toBeGreaterThan(100);
    expect(documented.filter((id, index) => documented.indexOf(id) !== index)).toEqual([]);
  });

  it('are each cited by a test', () => {
    expect(documented.filter((id) => !cited.has(id))).toEqual([]);
  });

  it('are cited by tests only where a page has them', () => {
    expect([...cited].filter((id) => !documented.includes(id))).toEqual([]);
  });

  it('are mentioned on their pages only where they exist', () => {
    const mentioned = Object.values(PAGES).flatMap((page) => page.match(ID) ?? []);
    expect(mentioned.filter((id) => !documented.includes(id))).toEqual([]);
  });
});

describe.each(Object.entries(PAGES))('the page of %s', (room, page) => {
  // Some of its rules are rules of an agent, or of selectors.
  const sources = globSync([`${room}/**/*.ts`, 'agent/rules/**/*.ts', 'shared/kube/selector/*.ts'])
    .map(textOf)
    .join('\n');

  it('names functions that exist, in its headings and at the start of its rules', () => {
    const headings = page.match(/^## .*\(.*\)$/gm) ?? [];
    const starts = page.match(/(?<=^\| [A-Z]-\d{2,3} \| )(`\w+`(, )?)+(?=:)/gm) ?? [];
    const names = [...headings, ...starts].flatMap((text) => text.match(/(?<=`)\w+(?=`)/g) ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !sources.includes(`export const ${name} =`))).toEqual([]);
  });

  it('names files that exist', () => {
    const files = page.match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? [];
    const exists = (file: string): boolean => globSync([file, `${room}/**/${file}`]).length > 0;
    expect(files.filter((file) => !exists(file))).toEqual([]);
  });
});
