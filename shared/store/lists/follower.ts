import { StatusError } from '../../kube/errors/status-error.ts';
import { isSameButVersion } from '../../kube/json/same-but-version.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { pathOf } from '../log/list-state.ts';
import type { LogReader } from '../log/log-reader.ts';
import { createLogReader } from '../log/log-reader.ts';
import type { Lister, ListPosition } from './lists.ts';
import { createLister } from './lists.ts';

/** Objects of one page of the first list. */
const PAGE = 500;
/** Polls of one call. Each returns a batch of changes; what is left after so many comes with the next call. */
const MOST_POLLS = 64;

/** One change of an object. `before` is absent for an object that is new, `after` for one that is gone. */
export interface FollowedChange {
  readonly before?: ApiObject;
  readonly after?: ApiObject;
}

/** Keeps the objects of one resource as of a revision that only moves forward. */
export interface Follower {
  /**
   * Moves forward, and returns what has changed since the last call, in order, of that which is kept. The first call lists all
   * objects, each of which is new. If the history between two calls is gone, it lists again and compares.
   */
  changes(): Promise<readonly FollowedChange[]>;
  /** Whether the last call stopped before a hole of the log, which is filled within about a second. */
  isWaiting(): boolean;
}

/** What a follower keeps of an object, to save memory. It must keep `metadata.name`, `namespace` and `uid`. */
export type Keep = (object: ApiObject) => ApiObject;

/** Keeps all but the names of those who wrote the fields. */
export const withoutManagers: Keep = (object) => {
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
};

type Objects = Map<string, ApiObject>;

interface Listed {
  readonly revision: Revision;
  readonly objects: Objects;
}

const pathIn = ({ metadata: { namespace = '', name } }: ApiObject): string => pathOf({ namespace, name });

const listAll = async (lister: Lister, resource: string, keep: Keep): Promise<Listed> => {
  const objects: Objects = new Map();
  let continueAt: ListPosition | undefined;
  for (;;) {
    const at = continueAt ? { continueAt } : {};
    const page = await lister.list({ resource, namespace: '', limit: PAGE, ...at });
    for (const object of page.objects) objects.set(pathIn(object), keep(object));
    if (!page.next) return { revision: page.revision, objects };
    continueAt = page.next;
  }
};

/** The changes from one object of a name to the next one. An object of another uid is another object. */
const steps = (before: ApiObject | undefined, after: ApiObject | undefined): readonly FollowedChange[] => {
  if (before && after && before.metadata.uid !== after.metadata.uid) return [{ before }, { after }];
  if (!before && !after) return [];
  return [{ ...(before ? { before } : {}), ...(after ? { after } : {}) }];
};

/** Whether a change left what is kept of the object as it was: most reports of kubelets do. */
const isSilent = (before: ApiObject | undefined, after: ApiObject | undefined): boolean =>
  before !== undefined && after !== undefined && isSameButVersion(before, after);

const isSame = (a: ApiObject | undefined, b: ApiObject): boolean =>
  a?.metadata.resourceVersion === b.metadata.resourceVersion && a?.metadata.uid === b.metadata.uid;

const difference = (known: Objects, listed: Objects): readonly FollowedChange[] => {
  const gone = [...known]
    .filter(([path]) => !listed.has(path))
    .flatMap(([, object]) => steps(object, undefined));
  const others = [...listed].filter(([path, object]) => !isSame(known.get(path), object));
  return [...gone, ...others.flatMap(([path, object]) => steps(known.get(path), object))];
};

const isExpired = (error: unknown): boolean => error instanceof StatusError && error.code === 410;

/** Follows the objects of a resource. It keeps what `keep` returns of each, with its `resourceVersion`. */
export const createFollower = (deps: CommitDeps, resource: string, keep: Keep): Follower => {
  const lister = createLister(deps);
  const kept: Keep = (object) => {
    const next = keep(object);
    const { resourceVersion = '' } = object.metadata;
    return { ...next, metadata: { ...next.metadata, resourceVersion } };
  };
  let known: Objects = new Map();
  let reader: LogReader | undefined;

  const begin = async (): Promise<readonly FollowedChange[]> => {
    const { revision, objects } = await listAll(lister, resource, kept);
    const changes = difference(known, objects);
    known = objects;
    reader = createLogReader(deps, resource, revision);
    return changes;
  };
  const apply = ({ key, type, object }: LogEntry): readonly FollowedChange[] => {
    const path = pathOf(key);
    const before = known.get(path);
    const after = type === 'DELETED' ? undefined : kept(object);
    if (after) known.set(path, after);
    else known.delete(path);
    return isSilent(before, after) ? [] : steps(before, after);
  };
  /** Collects what a failed call has seen already, too: the objects are known by then, so nothing else would tell of it. */
  const seen: FollowedChange[] = [];
  const poll = async (log: LogReader): Promise<void> => {
    for (let polls = 0; polls < MOST_POLLS; polls += 1) {
      const at = log.position();
      for (const entry of await log.poll()) seen.push(...apply(entry));
      if (log.position() === at) return;
    }
  };
  const follow = async (log: LogReader): Promise<void> => {
    try {
      await poll(log);
    } catch (error) {
      if (!isExpired(error)) throw error;
      seen.push(...(await begin()));
    }
  };

  return {
    isWaiting: () => reader?.isWaiting() === true,
    changes: async () => {
      if (reader) await follow(reader);
      else seen.push(...(await begin()));
      return seen.splice(0);
    },
  };
};
