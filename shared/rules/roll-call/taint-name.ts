/** The part of a taint's key after its prefix, by which people know it: `unreachable`. */
export const taintName = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
