/** The index of rules: id, sentence, the files that decide, and the tests that cite it. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { PRODUCTION, TESTS } from '../guards/source.ts';
import { code, pageOf } from './markdown.ts';

/** A rule as its page has it. */
export interface Rule {
  readonly id: string;
  readonly sentence: string;
}

/** A section of a page of rules. */
export interface Section {
  readonly title: string;
  /** The functions that its heading names. */
  readonly functions: readonly string[];
  readonly rules: readonly Rule[];
}

const textOf = (path: string): string => readFileSync(path, 'utf8');

const cellsOf = (row: string): readonly string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** The rule of a row: its only cell or, in a wider table, each cell behind the head of its column. */
const ruleOf = (row: string, head: readonly string[]): Rule => {
  const [id = '', ...cells] = cellsOf(row);
  const named = cells.flatMap((cell, column) => (cell === '' ? [] : [`${head[column + 1]}: ${cell}`]));
  return { id, sentence: cells.length === 1 ? (cells[0] ?? '') : named.join('; ') };
};

const rulesOfTable = (table: string): readonly Rule[] => {
  const [head = '', , ...rows] = table.trimEnd().split('\n');
  return rows.filter((row) => /^\| [A-Z]-\d/.test(row)).map((row) => ruleOf(row, cellsOf(head)));
};

const sectionOf = (text: string): Section => {
  const [, title = '', names = ''] = /^(.*?)(?: \((`.*)\))?\n/.exec(text) ?? [];
  const tables = text.match(/(?:^\|.*\n?)+/gm) ?? [];
  return { title, functions: names.match(/\w+/g) ?? [], rules: tables.flatMap(rulesOfTable) };
};

/** The sections of a page that have rules. */
export const sectionsOf = (page: string): readonly Section[] =>
  page
    .split(/^##+ /m)
    .slice(1)
    .map(sectionOf)
    .filter(({ rules }) => rules.length > 0);

/** The ids of rules in the texts of tests, each with the paths of the tests. */
export const citationsIn = (tests: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> => {
  const found = [...tests].flatMap(([path, text]) =>
    [...new Set(text.match(/\b[A-CE-Z]-\d{2,3}\b/g))].map((id) => ({ id, path })),
  );
  const byId = Map.groupBy(found, ({ id }) => id);
  return new Map([...byId].map(([id, citations]) => [id, citations.map(({ path }) => path).toSorted()]));
};

const textsOf = (paths: readonly string[]): ReadonlyMap<string, string> =>
  new Map(paths.map((path) => [path, textOf(path)]));

const listOf = (paths: readonly string[]): string => paths.map(code).join(', ');

/** The files of rules by the functions that they export. */
const decidingFiles = (room: string): ReadonlyMap<string, readonly string[]> => {
  const files = PRODUCTION.filter((path) => path.startsWith(`${room}/`) || path.startsWith('agent/rules/'));
  const found = [...textsOf(files)].flatMap(([path, text]) =>
    [...text.matchAll(/^export const (\w+) =/gm)].map(([, name = '']) => ({ name, path })),
  );
  const byName = Map.groupBy(found, ({ name }) => name);
  return new Map([...byName].map(([name, files_]) => [name, files_.map(({ path }) => path)]));
};

interface Sources {
  readonly page: string;
  readonly citations: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** A link of the page, as it is from `docs/reference`. */
const relinked = (text: string, page: string): string =>
  text.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link: string) => {
    const target = posix.join(posix.dirname(page), link);
    return `](${posix.relative('docs/reference', target)})`;
  });

const sectionText = (section: Section, { page, citations, files }: Sources): string => {
  const decides = [...new Set(section.functions.flatMap((name) => files.get(name) ?? []))];
  const rules = section.rules.map(
    ({ id, sentence }) =>
      `- **${id}** ${relinked(sentence, page)}\n  Tests: ${listOf(citations.get(id) ?? [])}`,
  );
  const from = decides.length > 0 ? [`Decided in ${listOf(decides)}.`] : [];
  return [`### ${section.title}`, ...from, rules.join('\n')].join('\n\n');
};

const ROOMS_WITH_RULES = ['shared/rules', 'shared/store'];

/** `docs/reference/rules.md`. */
export const rulesPage = (): string => {
  const tests = TESTS.filter((path) => path.endsWith('.ts') && !path.startsWith('test/architecture/'));
  const citations = citationsIn(textsOf(tests));
  const parts = ROOMS_WITH_RULES.flatMap((room) => {
    const page = `${room}/README.md`;
    const sources = { page, citations, files: decidingFiles(room) };
    return [
      `## ${code(room)}`,
      `[The page of these rules](../../${page}) gives sources and reasons.`,
      ...sectionsOf(textOf(page)).map((section) => sectionText(section, sources)),
    ];
  });
  return pageOf('Rules', 'Each rule with the tests that cite its id.', ...parts);
};
