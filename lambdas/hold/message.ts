import * as z from 'zod/mini';

/** Look at the Holds. */
export const HoldMessage = z.object({ v: z.literal(1), kind: z.literal('holds') });
export type HoldMessage = z.infer<typeof HoldMessage>;
