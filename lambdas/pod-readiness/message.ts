import * as z from 'zod/mini';
import { PodMessage } from '../../shared/ports/process/messages.ts';

const NODE = { name: z.string(), uid: z.string() };

/**
 * Mark pods not ready: all pods of a node that the monitor made not ready (`node`), or of some of them (`nodes`), or one pod newly bound to
 * an unready node (`pod`). Or look at the pods of a node whose shutdown has changed, or is to end (`shutdown`); `isSecond`: again, because the index of
 * pods may lag; `isResync`: in case a message was lost.
 */
export const PodReadinessMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('node'), ...NODE }),
  z.object({ v: z.literal(1), kind: z.literal('nodes'), nodes: z.array(z.object(NODE)) }),
  z.object({
    v: z.literal(1),
    kind: z.literal('shutdown'),
    name: z.string(),
    uid: z.string(),
    isSecond: z.optional(z.literal(true)),
    isResync: z.optional(z.literal(true)),
  }),
  PodMessage,
]);
export type PodReadinessMessage = z.infer<typeof PodReadinessMessage>;
export type SilencedNode = { readonly [Part in keyof typeof NODE]: string };
