/** The files of the page: built ones in a package; a checkout builds them when they are needed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { ownFiles } from '../../shared/serving/machine/own-files.ts';

/** A file with its media type. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Files by name. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const typeOf = (name: string): string => TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';

const pageOf = (names: readonly string[], read: (name: string) => Buffer): PageFiles =>
  new Map(names.map((name) => [name, { type: typeOf(name), bytes: read(name) }]));

/** In a process of its own: the package has no esbuild, and the server needs none of it in memory. */
const build = async (): Promise<PageFiles> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-page-'));
  try {
    const program = fileURLToPath(new URL('../../bundling/build-dashboard.ts', import.meta.url));
    await promisify(execFile)(process.execPath, [program, folder]);
    return pageOf(readdirSync(folder), (name) => readFileSync(join(folder, name)));
  } catch (error) {
    throw new HostProblem(
      `cannot build the dashboard's page: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Reads the files, or builds them. Rejects with a `HostProblem`. */
export const pageFiles = async (): Promise<PageFiles> => {
  const { names, read } = ownFiles('page', import.meta.url);
  return names.length > 0 ? pageOf(names, read) : build();
};
