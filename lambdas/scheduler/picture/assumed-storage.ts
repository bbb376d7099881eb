/** Volumes and claims as the scheduler is about to write them, so that no other pod gets them meanwhile. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';

type Stored = PersistentVolume | PersistentVolumeClaim;

/** Objects of the picture that are ahead of the logs. */
export interface Assumptions<T extends Stored> {
  /** Shows the object as it will be. */
  assume(path: string, next: T): void;
  /** Shows it as the log does, unless the log has changed it since. */
  forget(path: string): void;
  /** The log tells of the object: that counts. */
  settle(path: string): void;
}

/** Creates the assumptions about the objects of one kind, which `known` holds by path. */
export const createAssumptions = <T extends Stored>(known: Map<string, T>): Assumptions<T> => {
  const before = new Map<string, T>();
  return {
    assume: (path, next) => {
      const shown = known.get(path);
      if (!shown) return;
      if (!before.has(path)) before.set(path, shown);
      known.set(path, next);
    },
    forget: (path) => {
      const shown = before.get(path);
      if (shown) known.set(path, shown);
      before.delete(path);
    },
    settle: (path) => void before.delete(path),
  };
};
