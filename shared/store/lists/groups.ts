/** Sets of names by a key. */
export interface Groups {
  /** Does nothing without a key. */
  add(key: string | undefined, name: string): void;
  remove(key: string | undefined, name: string): void;
  of(key: string): ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Creates sets of names without any. */
export const createGroups = (): Groups => {
  const groups = new Map<string, Set<string>>();
  return {
    add: (key, name) => {
      if (key === undefined) return;
      const group = groups.get(key) ?? new Set();
      groups.set(key, group.add(name));
    },
    remove: (key, name) => {
      const group = groups.get(key ?? '');
      if (key === undefined || !group) return;
      group.delete(name);
      if (group.size === 0) groups.delete(key);
    },
    of: (key) => groups.get(key) ?? NOBODY,
  };
};
