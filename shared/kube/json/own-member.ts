/**
 * Looks up a key that comes from a client. Plain indexing would also find inherited members: `constructor`, `toString`
 * and the like are valid names of labels, pods and data.
 */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** Sets a member of any name. An assignment to `__proto__` would change the prototype instead. */
export const setMember = (members: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== '__proto__') members[key] = value;
  else Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
};
