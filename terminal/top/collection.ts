/** A collection of objects as a list and the changes after it tell it. */
import type { ApiObject } from '../../shared/kube/types/meta.ts';

/** A collection as it is known: objects by namespace and name. */
export interface Known {
  /** The present state begins; objects that it does not have are gone when it ends. */
  begin(): void;
  put(object: ApiObject): void;
  drop(object: ApiObject): void;
  end(): void;
}

/** The name of an object with its namespace: `shop/web-0`, `/n1`. */
export const keyOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Keeps of each object what `put` makes of it. `onChange` gets what was kept, and what is kept. */
export const collection = <T>(
  put: (object: ApiObject) => T,
  onChange: (before: T | undefined, after: T | undefined) => void,
) => {
  const all = new Map<string, T>();
  let unseen: Set<string> | undefined;
  const remove = (key: string): void => {
    onChange(all.get(key), undefined);
    all.delete(key);
  };
  const known: Known = {
    begin: () => {
      unseen = new Set(all.keys());
    },
    put: (object) => {
      const [key, after] = [keyOf(object), put(object)];
      unseen?.delete(key);
      onChange(all.get(key), after);
      all.set(key, after);
    },
    drop: (object) => remove(keyOf(object)),
    end: () => {
      for (const key of unseen ?? []) remove(key);
      unseen = undefined;
    },
  };
  return { all, known };
};
