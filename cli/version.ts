import { readFileSync } from 'node:fs';

/** What a bundle in one file has in the place of `package.json`. */
declare const BUNDLED_VERSION: string | undefined;

/** The version of this package. */
export const ownVersion = (): string => {
  if (typeof BUNDLED_VERSION === 'string') return BUNDLED_VERSION;
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return version;
};
