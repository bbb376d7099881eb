/** The Nodes as DaemonSets see them: a process reads them once, and then follows their log. */

import { serviceUnavailable } from '../../shared/kube/errors/status-error.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { CommitDeps } from '../../shared/store/commit/commit-protocol.ts';
import { createFollower } from '../../shared/store/lists/follower.ts';

/** Milliseconds between two looks at a log with a hole. */
const HOLE_MS = 250;
/** Looks at a log with a hole; it is filled within about a second. */
const MOST_LOOKS = 20;

/** What the rules of DaemonSets read of a Node. 5,000 of them take some 5 MB. */
const slimNode = (object: ApiObject): Node => {
  const { apiVersion, kind, metadata, spec } = object as Node;
  const { name, uid = '', labels = {} } = metadata;
  return { apiVersion, kind, metadata: { name, uid, labels }, spec: { taints: spec?.taints ?? [] } };
};

/** Reads all Nodes as they are now. */
type ReadNodes = () => Promise<readonly Node[]>;

const createNodes = (deps: CommitDeps): ReadNodes => {
  const follower = createFollower(deps, 'nodes', slimNode);
  const nodes = new Map<string, Node>();
  const apply = async (): Promise<void> => {
    for (const { before, after } of await follower.changes()) {
      if (before && !after) nodes.delete(before.metadata.name);
      if (after) nodes.set(after.metadata.name, after);
    }
  };
  const follow = async (): Promise<readonly Node[]> => {
    for (let looks = 1; looks <= MOST_LOOKS; looks += 1) {
      await apply();
      if (!follower.isWaiting()) return [...nodes.values()];
      await deps.clock.sleep(HOLE_MS);
    }
    throw serviceUnavailable('the log of nodes has a hole', {});
  };
  // One call at a time moves the follower. A call must begin after the question that it answers.
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly Node[]> | undefined;
  return () => {
    if (next) return next;
    const answer = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return follow();
      });
    next = answer;
    running = answer;
    return answer;
  };
};

/** By the store that a process reads. */
const processes = new WeakMap<ObjectStore, ReadNodes>();

/** All Nodes as they are now. */
export const readNodes = (deps: CommitDeps): Promise<readonly Node[]> => {
  const known = processes.get(deps.objects) ?? createNodes(deps);
  processes.set(deps.objects, known);
  return known();
};
