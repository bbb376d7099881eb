/** What a hostPath volume has to be. Source: kubernetes v1.34 pkg/volume/hostpath `checkTypeInternal`. */

/** What is at a path; `undefined`: nothing. */
export type PathKind =
  | 'directory'
  | 'file'
  | 'socket'
  | 'characterDevice'
  | 'blockDevice'
  | 'other'
  | undefined;

/** What has to be made before; or why the path is not what it should be. */
export interface HostPathVerdict {
  readonly make?: 'directory' | 'file';
  readonly fault?: string;
}

const WANTED: Readonly<Record<string, readonly [PathKind, string]>> = {
  Directory: ['directory', 'a directory'],
  DirectoryOrCreate: ['directory', 'a directory'],
  File: ['file', 'a file'],
  FileOrCreate: ['file', 'a file'],
  Socket: ['socket', 'a socket file'],
  CharDevice: ['characterDevice', 'a character device'],
  BlockDevice: ['blockDevice', 'a block device'],
};

/** A path of no type that is not there becomes a folder, as runtimes do. */
export const hostPathVerdict = (path: string, type: string, there: PathKind): HostPathVerdict => {
  if (type === '') return there === undefined ? { make: 'directory' } : {};
  const wanted = WANTED[type];
  if (!wanted) return { fault: `${type} is an invalid volume type` };
  const [kind, text] = wanted;
  const isMade = type.endsWith('OrCreate') && there === undefined;
  if (isMade) return { make: kind === 'file' ? 'file' : 'directory' };
  return there === kind ? {} : { fault: `hostPath type check failed: ${path} is not ${text}` };
};
