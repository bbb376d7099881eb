/** What a process knows besides the store, kept from one run to the next. */
import { StatusError } from '../../kube/errors/status-error.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { TurnLost } from '../turns/owner-turns.ts';

interface Known<S> {
  readonly state: S;
  last: Promise<unknown>;
}

/** Whether what is known is right all the same. After any other failure a change may be missing, so all is read again. */
const isPassing = (error: unknown): boolean => error instanceof StatusError || error instanceof TurnLost;

/**
 * Runs work with the state of the store that it reads; `create` makes a new state. A function may get several messages at once: they share
 * what is known, so they run one after the other.
 */
export const createProcessState = <D extends { readonly objects: ObjectStore }, S>(
  create: (deps: D) => S,
): (<R>(deps: D, work: (state: S) => Promise<R>) => Promise<R>) => {
  const processes = new WeakMap<ObjectStore, Known<S>>();
  return (deps, work) => {
    const { objects } = deps;
    const known = processes.get(objects) ?? { state: create(deps), last: Promise.resolve() };
    processes.set(objects, known);
    const run = known.last.then(() => work(known.state));
    known.last = run.catch((error: unknown) => {
      if (!isPassing(error)) processes.delete(objects);
    });
    return run;
  };
};
