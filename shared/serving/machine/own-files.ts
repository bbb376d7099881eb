/** Files that come with the program: in a folder beside its code, or within the executable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import sea from 'node:sea';
import { fileURLToPath } from 'node:url';

export interface OwnFiles {
  /** In no particular order. */
  readonly names: readonly string[];
  readonly read: (name: string) => Buffer;
}

const inExecutable = (folder: string): OwnFiles => ({
  names: sea
    .getAssetKeys()
    .flatMap((key) => (key.startsWith(`${folder}/`) ? [key.slice(folder.length + 1)] : [])),
  read: (name) => Buffer.from(sea.getAsset(`${folder}/${name}`)),
});

/** The files of `folder`, which lies beside the module with the address `module`; none if it is not there. */
export const ownFiles = (folder: string, module: string): OwnFiles => {
  if (sea.isSea()) return inExecutable(folder);
  const path = fileURLToPath(new URL(`./${folder}/`, module));
  return {
    names: existsSync(path) ? readdirSync(path) : [],
    read: (name) => readFileSync(`${path}${name}`),
  };
};
