import * as z from 'zod/mini';

/**
 * The budgets of a namespace have to be looked at. `look` 2: once more, because the first look may have been too early. `pods`: names of
 * pods that have changed.
 */
export const DisruptionMessage = z.object({
  v: z.literal(1),
  namespace: z.string(),
  look: z.optional(z.literal(2)),
  pods: z.optional(z.array(z.string())),
});
export type DisruptionMessage = z.infer<typeof DisruptionMessage>;
