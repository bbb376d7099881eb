/**
 * The member of a record whose keys come from outside. Plain indexing would also find what every object inherits:
 * `constructor`, `toString` and the like are valid names of labels, pods and data.
 */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
