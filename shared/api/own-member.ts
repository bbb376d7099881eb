/**
 * Looks up a key that comes from a client. Plain indexing would also find inherited members: `constructor`, `toString`
 * and the like are valid names of labels, pods and data.
 */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
