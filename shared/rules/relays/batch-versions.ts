/** In which form a relay sends its parts: each in a batch of its own (version 1), or many in one (version 2). */

/** The versions that this control plane serves; each receipt names them. */
export const BATCH_VERSIONS: readonly number[] = [1, 2];

/**
 * Most that one batch of version 2 has: parts, bytes of its body, and tokens of nodes that join. A larger one is refused as a whole (J-326). `values`: those of
 * its JSON; no batch of so many bytes that names its nodes by name and uid has more.
 */
export const TOGETHER = { parts: 100, bytes: 262_144, tokens: 200, values: 20_000 } as const;

/** The version of the next batch, by what a receipt says; one that says nothing is of a control plane that serves version 1 only (J-328). */
export const nextVersion = (served: unknown): 1 | 2 => (Array.isArray(served) && served.includes(2) ? 2 : 1);

/** What one part takes of a batch. */
export interface PartSize {
  readonly bytes: number;
  readonly tokens: number;
}

/** Bytes of one full part, about: a batch is not made smaller than that. */
const LEAST_BYTES = 16_384;
/** Bytes by which a batch may be larger after an answer: doubled ones would be too large again at once. */
const MORE_BYTES = 8_192;

/**
 * Most bytes of the next batch: half as many after one without an answer, and some more after each answer (J-329). A line that is too thin for 256 KB
 * within the time that a batch has may carry its parts one after the other.
 */
export const bytesAfter = (most: number, isAnswered: boolean): number =>
  isAnswered ? Math.min(most + MORE_BYTES, TOGETHER.bytes) : Math.max(most / 2, LEAST_BYTES);

/** Bytes of a batch beside its parts: the longest name of a relay, and the commas. */
const FRAME_BYTES = 512;

/** The parts in their order, divided into batches that are no larger than `TOGETHER` (J-326) and `mostBytes`. A part that is larger goes alone. */
export const inBatches = <T extends PartSize>(
  parts: readonly T[],
  mostBytes: number = TOGETHER.bytes,
): readonly (readonly T[])[] => {
  const batches: T[][] = [];
  let left = { parts: 0, bytes: 0, tokens: 0 };
  for (const part of parts) {
    const { bytes, tokens } = part;
    if (left.parts < 1 || left.bytes < bytes || left.tokens < tokens) {
      batches.push([]);
      left = { ...TOGETHER, bytes: mostBytes - FRAME_BYTES };
    }
    batches.at(-1)?.push(part);
    left = { parts: left.parts - 1, bytes: left.bytes - bytes - 1, tokens: left.tokens - tokens };
  }
  return batches;
};
