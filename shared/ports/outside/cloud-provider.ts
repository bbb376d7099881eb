/** Whoever runs the machines of a fleet: EC2, or what a file or a webhook says. */
import type { LifecycleAction } from '../../rules/cloud/cloud-notice.ts';
import type { InstanceAnswer } from '../../rules/cloud/instance.ts';

/** The machine of a Node, by the providerID of the Node, or by the Node's name if it has none yet. */
export interface InstanceQuery {
  readonly nodeName: string;
  /** `''`: the Node has none. */
  readonly providerId: string;
}

/** The provider could not answer: it throttles, or cannot be reached. It is asked again later. */
export class CloudUnavailableError extends Error {
  override readonly name = 'CloudUnavailableError';
}

/** Answers about machines. A provider whose groups end machines by themselves also has the last two. */
export interface CloudProvider {
  /** Answers in the order of the queries. Throws `CloudUnavailableError` if it cannot answer all of them. */
  instances(queries: readonly InstanceQuery[]): Promise<readonly InstanceAnswer[]>;
  /** Tells the group that the instance is still being drained, so that it goes on to wait. Does nothing if the action is over. */
  prolong?(instance: string, action: LifecycleAction): Promise<void>;
  /** Lets the group end the instance. Does nothing if the action is over. */
  complete?(instance: string, action: LifecycleAction): Promise<void>;
}
