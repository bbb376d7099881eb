/** Guards of code that only tests reach: knip finds it when it reads production code alone. */
import { execFileSync } from 'node:child_process';
import type { Guard } from './guard.ts';

interface UnusedSymbol {
  readonly name: string;
  readonly line: number;
}

/** Of knip's JSON report, what is read here: per file, whether nothing reaches it, and its unused exports. */
export interface UnusedReport {
  readonly issues: readonly {
    readonly file: string;
    readonly files: readonly unknown[];
    readonly exports: readonly UnusedSymbol[];
    readonly types: readonly UnusedSymbol[];
  }[];
}

/** Paths of files that no entry of production reaches. */
export const unusedFiles = ({ issues }: UnusedReport): readonly string[] =>
  issues.filter(({ files }) => files.length > 0).map(({ file }) => file);

/** Exports, types included, that production neither imports nor uses in their own file, as `path:line name`. */
export const unusedExports = ({ issues }: UnusedReport): readonly string[] =>
  issues.flatMap(({ file, exports, types }) =>
    [...exports, ...types].map(({ name, line }) => `${file}:${line} ${name}`),
  );

const ARGS = [
  '--production',
  '--strict',
  '--include',
  'files,exports,types',
  '--reporter',
  'json',
  '--no-exit-code',
];

let known: UnusedReport | undefined;

const report = (): UnusedReport => {
  known ??= JSON.parse(execFileSync('node_modules/.bin/knip', ARGS, { encoding: 'utf8' })) as UnusedReport;
  return known;
};

export const UNUSED_GUARDS: readonly Guard[] = [
  { name: 'files that only tests reach', find: () => unusedFiles(report()) },
  { name: 'exports that only tests reach', find: () => unusedExports(report()) },
];
