import * as z from 'zod/mini';

/** A tick: asks for the health pass of the instant `at` (epoch ms). */
export const MonitorTick = z.object({ v: z.literal(1), kind: z.literal('tick'), at: z.number() });
export type MonitorTick = z.infer<typeof MonitorTick>;
