/** Registers the Node of this machine. Source: kubernetes v1.34 pkg/kubelet `registerWithAPIServer`. */
import type { Node } from '../../shared/kube/types/core.ts';
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import type { NodeRegistry } from '../ports/api/node-registry.ts';
import type { Clock } from '../ports/machine/clock.ts';
import { nodeStatusPatch } from '../rules/node-status/status-patch.ts';
import { reconciledNode } from '../rules/registration/reconcile-node.ts';

export interface RegisterDeps {
  readonly nodes: NodeRegistry;
  /** The Node with its status, as it would be created at this moment. */
  buildNode(): Promise<Node>;
  /** Whether the machine was made anew, so that the devices that the Node has are unknown. */
  readonly isRecreated: boolean;
  /** Whether a Node that the agent may not create is not looked up either (gate `KubeletRegistrationGetOnExistsOnly`). */
  readonly looksUpOnlyExisting?: boolean;
  /** What went wrong and is tried again. */
  warn(problem: string, error?: unknown): void;
}

/** Writes what has to be different in the Node that is there. */
const adopt = async (fresh: Node, { nodes, isRecreated, warn }: RegisterDeps): Promise<boolean> => {
  const { name } = fresh.metadata;
  const existing = await nodes.get(name);
  if (!existing) {
    warn(`there is no Node ${name}, and the agent may not create it`);
    return false;
  }
  const wanted = reconciledNode(existing, fresh, isRecreated);
  if (wanted) await nodes.patchStatus(name, nodeStatusPatch(existing, wanted));
  return true;
};

/** One try. Returns whether the Node is registered; never rejects. */
export const tryRegister = async (deps: RegisterDeps): Promise<boolean> => {
  try {
    const node = await deps.buildNode();
    const answer = await deps.nodes.create(node);
    if (answer === 'created') return true;
    if (answer === 'exists' || deps.looksUpOnlyExisting !== true) return await adopt(node, deps);
    deps.warn('the agent may not create its Node');
    return false;
  } catch (error) {
    deps.warn('the Node could not be registered', error);
    return false;
  }
};

const RETRY: BackOffDelays = { firstMs: 100, mostMs: 7_000 };

/** Tries until the Node is registered, or `signal` aborts. Waits before each try, the first one too. */
export const registerNode = async (
  deps: RegisterDeps & { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    await deps.clock.sleep(backOff(RETRY, tries));
    if (deps.signal.aborted) return false;
    if (await tryRegister(deps)) return true;
  }
};
