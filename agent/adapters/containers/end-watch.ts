/** Tells when containers end: by the kernel where it watches their folders, and by looking now and then. */
import type { FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { watchFolder } from '../linux/wait-for-file.ts';
import type { Place } from './places.ts';

/** Whether the container is gone; sees to what it left behind. */
export type Look = (place: Place) => Promise<boolean>;

/** Watches containers that have not ended. */
export interface EndWatch {
  add(place: Place): void;
  drop(place: Place): void;
  onEnd(callback: (podUid: string) => void): () => void;
  /** Looks at all containers: finds what nobody told, such as the end of one whose shim was killed. */
  sweep(): Promise<void>;
  close(): void;
}

/** The file that is made when a container ends. */
export type EndFile = (place: Place) => string;

/** `report` hears of errors of the machine; the next sweep looks again. */
export const createEndWatch = (look: Look, report: (error: unknown) => void, endFile: EndFile): EndWatch => {
  const watched = new Map<string, { readonly place: Place; readonly watcher: FSWatcher | undefined }>();
  const callbacks = new Set<(podUid: string) => void>();
  const looking = new Set<string>();

  const drop = ({ id }: Place): void => {
    watched.get(id)?.watcher?.close();
    watched.delete(id);
  };

  const check = async (place: Place): Promise<void> => {
    if (looking.has(place.id)) return;
    looking.add(place.id);
    try {
      if (!watched.has(place.id) || !(await look(place))) return;
      drop(place);
      for (const callback of callbacks) callback(place.key.podUid);
    } catch (error) {
      report(error);
    } finally {
      looking.delete(place.id);
    }
  };

  return {
    add: (place) => {
      if (watched.has(place.id)) return;
      const file = endFile(place);
      const watcher = watchFolder(dirname(file), (name) => {
        if (name === basename(file)) void check(place);
      });
      watched.set(place.id, { place, watcher });
    },
    drop,
    onEnd: (callback) => {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    sweep: async () => {
      for (const { place } of [...watched.values()]) await check(place);
    },
    close: () => {
      for (const { place } of [...watched.values()]) drop(place);
      callbacks.clear();
    },
  };
};
