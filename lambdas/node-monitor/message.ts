import * as z from 'zod/mini';

/** Start the monitor's pass for the instant `at` (epoch ms). */
export const MonitorTick = z.object({ v: z.literal(1), kind: z.literal('tick'), at: z.number() });
export type MonitorTick = z.infer<typeof MonitorTick>;
