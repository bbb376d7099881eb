import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { ReportedNode } from '../../rules/node/reported-status.ts';

/** The agent's own Node at the API server. Each method rejects if there is none, or no answer. */
export interface NodeApi {
  /** The Node as the agent last saw it, without a request. */
  known(): Promise<ReportedNode>;
  get(): Promise<ReportedNode>;
  /** A strategic merge patch of the Node and its status; resolves to the Node from then on. */
  patchStatus(patch: JsonObject): Promise<ReportedNode>;
}
