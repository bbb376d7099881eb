import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commitOf } from '../../bundling/commit.ts';

/** The version of the package from which a bundle was made. */
declare const BUNDLED_VERSION: string | undefined;

/** The commit from which a bundle was made; empty if that was not known. */
declare const BUNDLED_COMMIT: string | undefined;

/** The version of this package. */
export const ownVersion = (): string => {
  if (typeof BUNDLED_VERSION === 'string') return BUNDLED_VERSION;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return version;
};

const ownCommit = (): string | undefined => {
  if (typeof BUNDLED_COMMIT === 'string') return BUNDLED_COMMIT;
  return commitOf(fileURLToPath(new URL('../../', import.meta.url)));
};

/** What `program --version` prints: the versions of the program and of Node, and the commit where it is known. */
export const versionLine = (program: string, commit: string | undefined = ownCommit()): string => {
  const versions = `${program} ${ownVersion()}, Node ${process.versions.node}`;
  return commit ? `${versions}, commit ${commit}` : versions;
};
