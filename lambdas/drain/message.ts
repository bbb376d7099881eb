import * as z from 'zod/mini';

const named = { v: z.literal(1), name: z.string() };
const plan = { at: z.number(), token: z.string() };

/**
 * `node`: look at a node now. `look`: the look that was planned for `at` (ms) with this token. `nudge`: something has changed on a node that drains; look
 * within a second. `budget`: a budget lets more pods go. `maintenance`, `window` and `maintained` are the same three for a NodeMaintenance;
 * `hasNodes`: nodes are in progress of it, whatever its status says.
 */
export const DrainMessage = z.discriminatedUnion('kind', [
  z.object({ ...named, kind: z.literal('node') }),
  z.object({ ...named, kind: z.literal('look'), ...plan }),
  z.object({ ...named, kind: z.literal('nudge') }),
  z.object({ v: z.literal(1), kind: z.literal('budget'), allowed: z.number() }),
  z.object({ ...named, kind: z.literal('maintenance'), hasNodes: z.optional(z.boolean()) }),
  z.object({ ...named, kind: z.literal('window'), ...plan }),
  z.object({ ...named, kind: z.literal('maintained') }),
]);
export type DrainMessage = z.infer<typeof DrainMessage>;
