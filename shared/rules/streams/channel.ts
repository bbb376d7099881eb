/** The channel that a node is to open, because the control plane cannot connect to it. */

import { isObject } from '../../kube/json/json-object.ts';
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';

const CHANNEL_ANNOTATION = 'rollcall.dev/channel';

/** What the node is told in its work. `url`: of the gateway that waits, without it the API's; `certificate`: SHA-256 of what it shows there. */
export interface ChannelCall {
  readonly id: string;
  readonly url?: string;
  readonly certificate?: string;
}

const parsed = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
};

/** The channel that was announced last; `undefined` without one. The node opens it once for each id. */
export const channelOf = ({ metadata }: Node): ChannelCall | undefined => {
  const call = parsed(metadata.annotations?.[CHANNEL_ANNOTATION] ?? '');
  return isObject(call) && typeof call['id'] === 'string' ? (call as unknown as ChannelCall) : undefined;
};

/** The Node with this announcement, in place of an earlier one. */
export const withChannel = (node: Node, call: ChannelCall): Node => ({
  ...node,
  metadata: withAnnotation(node.metadata, CHANNEL_ANNOTATION, JSON.stringify(call)),
});
