/** The policies as a pass finds them at its start: a process lists them once, and then follows their log. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { LifecyclePolicy } from '../../../shared/kube/types/lifecycle-policy.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { GRACEFUL_SHUTDOWN, READY, SHUTTING_DOWN } from '../../../shared/kube/types/well-known.ts';
import { type LifecycleSettings, lifecycleSettings } from '../../../shared/rules/nodes/policy-settings.ts';
import { leavesInOrder } from '../../../shared/rules/policies/drain-before-lost.ts';
import { heldPolicies, LIFECYCLE_POLICIES } from '../../../shared/rules/policies/policy-order.ts';
import type { Labels } from '../../../shared/rules/zones/zone-names.ts';
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';
import type { CommitDeps } from '../../../shared/store/commit/commit-protocol.ts';
import {
  createFollower,
  type Follower,
  type Keep,
  withoutManagers,
} from '../../../shared/store/lists/follower.ts';
import { createProcessState } from '../../../shared/store/lists/process-state.ts';

/** What the policies say, and to whom. */
export interface PassPolicies {
  readonly policies: readonly LifecyclePolicy[];
  /** By name of a policy without effect: the name of the older one that ties with it. */
  readonly conflicts: ReadonlyMap<string, string>;
  readonly settings: LifecycleSettings;
  /** The labels of a node as it was last seen. Absent if no policy needs them, and for a node that is too new. */
  labelsOf(node: string, uid: string): Labels | undefined;
  /** Whether the node answers, and its machine is shutting down. Only known if a policy asks. */
  leavesInOrder(node: string, uid: string): boolean;
  /** By name of a node: what was known when a drain was last considered. It is kept until the policies change. */
  readonly looked: Map<string, string>;
}

/**
 * Most time (ms) that a pass waits for the labels of nodes: a new process lists them, which takes longer for a large fleet than a pass may.
 * Until they are there a pass judges by what needs no labels, and each write by the labels of the node that it has read.
 */
const LONGEST_WAIT_MS = 3_000;

export interface PolicyDeps extends CommitDeps {
  readonly config: NodeLifecycleConfig;
}

/** Objects that are followed, by name. */
interface Followed {
  readonly follower: Follower;
  readonly objects: Map<string, ApiObject>;
}

interface Known {
  readonly policies: Followed;
  /** Only while a policy selects nodes by labels, or drains those that shut down. */
  nodes?: Followed;
  /** Brings `nodes` up to date. */
  moving?: Promise<void>;
  /** What the last pass made of the policies, which are these. */
  last?: Pick<PassPolicies, 'conflicts' | 'settings' | 'looked'> & { readonly stamp: string };
}

const TELLING: ReadonlySet<string> = new Set([READY, GRACEFUL_SHUTDOWN, SHUTTING_DOWN]);

/** What passes need of a node: its labels, and the conditions that tell of it if its machine is shutting down. */
const slimNode: Keep = (object) => {
  const node: Node = object;
  const { name, uid = '', labels = {} } = node.metadata;
  const told = leavesInOrder(node)
    ? node.status?.conditions?.filter(({ type }) => TELLING.has(type))
    : undefined;
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata: { name, uid, labels },
    ...(told ? { status: { conditions: told } } : {}),
  };
};

const followed = (deps: CommitDeps, resource: string, keep: Keep): Followed => ({
  follower: createFollower(deps, resource, keep),
  objects: new Map(),
});

const moveForward = async ({ follower, objects }: Followed): Promise<void> => {
  for (const { before, after } of await follower.changes()) {
    if (after) objects.set(after.metadata.name, after);
    else if (before) objects.delete(before.metadata.name);
  }
};

const isPolicy = (object: ApiObject): object is LifecyclePolicy => object.kind === 'NodeLifecyclePolicy';

/** Equal for policies that say the same: their status is left out. */
const stampOf = (policies: readonly LifecyclePolicy[]): string =>
  policies.map(({ metadata: { uid, generation } }) => `${uid}/${generation}`).join(' ');

const madeOf = (policies: readonly LifecyclePolicy[], config: NodeLifecycleConfig) => {
  const { accepted, conflicts } = heldPolicies(policies);
  const looked = new Map<string, string>();
  return { conflicts, looked, settings: lifecycleSettings(accepted, config) };
};

const followNodes = async (deps: CommitDeps, known: Known, isNeeded: boolean): Promise<void> => {
  if (!isNeeded) {
    delete known.nodes;
    delete known.moving;
    return;
  }
  known.nodes ??= followed(deps, 'nodes', slimNode);
  const moving = known.moving ?? moveForward(known.nodes);
  known.moving = moving;
  const end = (): void => {
    if (known.moving === moving) delete known.moving;
  };
  moving.then(end, () => {
    // A failure after the wait is told to nobody: the next pass begins anew.
    delete known.nodes;
    end();
  });
  await Promise.race([moving, deps.clock.sleep(LONGEST_WAIT_MS)]);
};

const withKnown = createProcessState<PolicyDeps, Known>((deps) => ({
  policies: followed(deps, LIFECYCLE_POLICIES, withoutManagers),
}));

/**
 * Reads the policies, and follows the nodes if a policy needs their labels or their words. Without policies this reads one counter. A policy that is written later
 * counts from the next pass on.
 */
export const readPolicies = (deps: PolicyDeps): Promise<PassPolicies> =>
  withKnown(deps, async (known) => {
    await moveForward(known.policies);
    const policies = [...known.policies.objects.values()].filter(isPolicy);
    const stamp = stampOf(policies);
    const last = known.last?.stamp === stamp ? known.last : { ...madeOf(policies, deps.config), stamp };
    known.last = last;
    const { conflicts, settings, looked } = last;
    await followNodes(deps, known, settings.needsLabels || settings.asksForShutdown);
    const nodeOf = (name: string, uid: string): Node | undefined => {
      const node = known.nodes?.objects.get(name);
      return node?.metadata.uid === uid ? node : undefined;
    };
    return {
      policies,
      conflicts,
      settings,
      looked,
      labelsOf: (name, uid) => nodeOf(name, uid)?.metadata.labels,
      leavesInOrder: (name, uid) => {
        const node = nodeOf(name, uid);
        return node !== undefined && leavesInOrder(node);
      },
    };
  });
