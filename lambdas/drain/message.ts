import * as z from 'zod/mini';

const node = { v: z.literal(1), name: z.string() };

/**
 * `node`: look at a node now. `look`: the look that was planned for `at` (ms). `nudge`: something has changed on a node that drains; look
 * within a second. `budget`: a budget of the namespace lets more pods go.
 */
export const DrainMessage = z.discriminatedUnion('kind', [
  z.object({ ...node, kind: z.literal('node') }),
  z.object({ ...node, kind: z.literal('look'), at: z.number() }),
  z.object({ ...node, kind: z.literal('nudge') }),
  z.object({ v: z.literal(1), kind: z.literal('budget'), allowed: z.number() }),
]);
export type DrainMessage = z.infer<typeof DrainMessage>;
