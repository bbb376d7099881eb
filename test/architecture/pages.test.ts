import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const textOf = (path: string): string => readFileSync(path, 'utf8');

const isOurs = (path: string): boolean => !/(^|\/)(node_modules|\.\w+)\//.test(path);
const PAGES = globSync('**/*.md', { exclude: ['**/node_modules/**', '.*/**'] }).filter(isOurs);

/** As GitHub makes them of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

const isFound = (from: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(textOf(target)).includes(anchor));
};

it.each(PAGES)('the links of %s lead somewhere', (path) => {
  const links = [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const ours = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(ours.filter((link) => !isFound(path, link))).toEqual([]);
});

it.each(PAGES)('the files that %s names exist', (path) => {
  const named =
    textOf(path).match(
      /(?<=`)(agent|bundling|cdk|cli|dashboard|docs|gateway|host|lambdas|monitoring|relay|release|shared|simulation|terminal|test)\/[\w./-]+(?=`)/g,
    ) ?? [];
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

/** The tables of a page, as their rows without blanks at the edges of cells. */
const tablesOf = (page: string): readonly (readonly string[])[] =>
  (page.replaceAll(/^```.*?^```/gms, '').match(/(^\|.*\n)+/gm) ?? []).map((table) =>
    table
      .trimEnd()
      .split('\n')
      .map((row) => row.replaceAll(/ +/g, ' ')),
  );

it.each(PAGES)('the tables of %s have one head each, and no row twice', (path) => {
  for (const [, divider, ...rows] of tablesOf(textOf(path))) {
    expect(divider).toMatch(/^[|: -]+$/);
    const known = rows.filter((row, place) => /^[|: -]+$/.test(row) || rows.indexOf(row) !== place);
    expect(known).toEqual([]);
  }
});

it('the log lines that the runbook quotes are those of the code', () => {
  const quoted = textOf('docs/runbook.md').match(/(?<=`)(?!kubectl|npx|aws)[a-z]+( [a-z]+){2,}(?=`)/g) ?? [];
  const code = globSync('{shared,lambdas}/**/*.ts').map(textOf).join('\n');
  expect(quoted.length).toBeGreaterThan(3);
  expect(quoted.filter((line) => !code.includes(line))).toEqual([]);
});

it.each(globSync('docs/adr/0*.md'))('%s has a status', (path) => {
  const [, status = ''] = /^Status: ((?:.+\n)+)/m.exec(textOf(path)) ?? [];
  expect(status).toMatch(/^(Accepted$|(Partly s|S)uperseded by \[\d+\])/m);
});
