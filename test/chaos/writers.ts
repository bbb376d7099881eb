import { setTimeout as wait } from 'node:timers/promises';
import type { Resource } from './ledger.ts';
import { createWrittenObject, type WriterDeps, type WrittenObject } from './writer.ts';

/** Number of concurrent writers, and of objects of each. */
const WRITERS = 8;
const OBJECTS = 5;
/** Every third writer writes nodes. */
const NODES_EACH = 3;
/** Longest pause (ms) between two writes of a writer, so that kills hit every phase of a write and not only a queue. */
const MOST_PAUSE_MS = 20;

export interface Writers {
  /** Resolves when every object was compared since the last restart. Rejects after 20 s. */
  verified(): Promise<void>;
  stop(): Promise<void>;
}

const objectsOf = (writer: number, deps: WriterDeps): readonly WrittenObject[] => {
  const resource: Resource = writer % NODES_EACH === 0 ? 'nodes' : 'pods';
  return Array.from({ length: OBJECTS }, (_, index) =>
    createWrittenObject(resource, `w${writer}-${index}`, deps),
  );
};

/** Starts the writers. After a restart each one compares all its objects before it continues to write. */
export const startWriters = (deps: WriterDeps): Writers => {
  const { link, random } = deps;
  const seen: number[] = Array.from({ length: WRITERS }, () => 0);
  let isStopped = false;
  const turn = async (writer: number, objects: readonly WrittenObject[]): Promise<void> => {
    const generation = link.generation();
    if (seen[writer] !== generation) for (const object of objects) await object.verify();
    seen[writer] = generation;
    await objects[random.between(0, objects.length - 1)]?.write();
  };
  const work = async (writer: number): Promise<void> => {
    const objects = objectsOf(writer, deps);
    while (!isStopped) {
      // The host may have been killed meanwhile: the writer continues with the next one.
      if (link.isUp()) await turn(writer, objects).catch(() => undefined);
      await wait(random.between(0, MOST_PAUSE_MS));
    }
  };
  const working = Promise.all(seen.map((_, writer) => work(writer)));
  const verified = async (): Promise<void> => {
    const generation = link.generation();
    const until = performance.now() + 20_000;
    while (seen.some((one) => one !== generation)) {
      if (performance.now() > until) throw new Error('the writers could not read their objects');
      await wait(5);
    }
  };
  return {
    verified,
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
};
