import { createHash } from 'node:crypto';

/** The name of a sink: the same at each start, and without what may be secret in a URL. */
export const sinkNameOf = (readable: string, whole: string): string =>
  `${readable}-${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`;
