import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { Node } from '../../../shared/kube/types/core.ts';

/** The Nodes at the API server, as far as an agent needs them to register. Each method rejects on any other answer, or none. */
export interface NodeRegistry {
  /** `exists`: there is a Node of this name. `forbidden`: why the agent may not create it; another client may have. */
  create(node: Node): Promise<'created' | 'exists' | { readonly forbidden: string }>;
  /** `undefined`: there is none. */
  get(name: string): Promise<Node | undefined>;
  /** A strategic merge patch of the Node's status and metadata. */
  patchStatus(name: string, patch: JsonObject): Promise<void>;
}
