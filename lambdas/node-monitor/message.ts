import * as z from 'zod/mini';

/**
 * A tick: asks for the health pass of the instant `at` (epoch ms). `force`: a Node was created, so that passes are needed where there were none; a
 * release that does not know it takes it for a late tick.
 */
export const MonitorTick = z.object({
  v: z.literal(1),
  kind: z.literal('tick'),
  at: z.number(),
  force: z.optional(z.literal(true)),
});
export type MonitorTick = z.infer<typeof MonitorTick>;
