import * as z from 'zod/mini';

/** Look at a VolumeAttachment, or whether these volumes are being deleted and have none. */
export const VolumeAttacherMessage = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(1), kind: z.literal('attachment'), name: z.string() }),
  z.object({ v: z.literal(1), kind: z.literal('volumes'), names: z.array(z.string()) }),
]);
export type VolumeAttacherMessage = z.infer<typeof VolumeAttacherMessage>;
