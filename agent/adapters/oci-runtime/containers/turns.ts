/** One work at a time for each container, in the order in which it comes: an OCI runtime fails where another call of the agent acts on the same container. */

/** The last work of each container, by id. */
export type Turns = Map<string, Promise<unknown>>;

/** Resolves or rejects as `work` does, which begins when the work before it has ended, however that ended. */
export const inTurn = async <T>(turns: Turns, id: string, work: () => Promise<T>): Promise<T> => {
  const before = turns.get(id) ?? Promise.resolve();
  const own = before.then(work, work);
  turns.set(id, own);
  try {
    return await own;
  } finally {
    if (turns.get(id) === own) turns.delete(id);
  }
};
