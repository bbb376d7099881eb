import * as z from 'zod/mini';

/** The budgets of a namespace have to be looked at. `look` 2: once more, because the first look may have been too early. */
export const DisruptionMessage = z.object({
  v: z.literal(1),
  namespace: z.string(),
  look: z.optional(z.literal(2)),
});
export type DisruptionMessage = z.infer<typeof DisruptionMessage>;
