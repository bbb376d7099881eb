/** The files of the page: built ones in a package; a checkout builds them when they are needed. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HostProblem } from '../serving/problem.ts';

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

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const readFiles = (folder: string): PageFiles =>
  new Map(
    readdirSync(folder).map((name) => {
      const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [name, { type, bytes: readFileSync(join(folder, name)) }];
    }),
  );

/** In a process of its own: the package has no esbuild, and the server needs none of it in memory. */
const build = async (): Promise<PageFiles> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-page-'));
  try {
    await promisify(execFile)(process.execPath, [pathOf('../../bundling/build-dashboard.ts'), folder]);
    return readFiles(folder);
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
  const built = pathOf('./page');
  return existsSync(built) ? readFiles(built) : build();
};
