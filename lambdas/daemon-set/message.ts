import * as z from 'zod/mini';
import { WorkloadMessage } from '../../shared/ports/process/messages.ts';

/** Schema of the news about Nodes: look for the DaemonSets to which they may matter. */
export const NodesMessage = z.object({
  v: z.literal(1),
  kind: z.literal('nodes'),
  /** Names of Nodes that are new. */
  added: z.array(z.string()),
  /** Whether a Node is gone. */
  isGone: z.boolean(),
  /** Keys of labels that were added, changed or removed. */
  labels: z.array(z.string()),
  /** Taints that were added or removed. */
  taints: z.array(
    z.object({
      key: z.string(),
      value: z.string(),
      effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    }),
  ),
});
/** News about Nodes. */
export type NodesMessage = z.infer<typeof NodesMessage>;

/** Schema of the messages to the DaemonSet controller. */
export const DaemonSetMessage = z.union([WorkloadMessage, NodesMessage]);
/** A message to the DaemonSet controller. */
export type DaemonSetMessage = z.infer<typeof DaemonSetMessage>;
