import * as z from 'zod/mini';

const holder = { name: z.string(), uid: z.string() };

/**
 * `node`: a Node was created, or needs another look. `gone`: a Node was deleted that had these podCIDRs. `wake`: blocks were freed a
 * moment ago, so Nodes that wait are tried again.
 */
export const NodeIpamMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), ...holder }),
  z.object({ v: z.literal(1), kind: z.literal('gone'), ...holder, podCidrs: z.array(z.string()) }),
  z.object({ v: z.literal(1), kind: z.literal('wake') }),
]);
export type NodeIpamMessage = z.infer<typeof NodeIpamMessage>;
