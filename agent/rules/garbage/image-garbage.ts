/**
 * Which images are removed, because the disk is full or nobody has used them for long. Instants are milliseconds of uptime.
 * Source: kubernetes v1.34 pkg/kubelet/images `realImageGCManager`.
 */

export interface ImagePolicy {
  /** Percent of the disk from which on images are removed, and down to which. */
  readonly highPercent: number;
  readonly lowPercent: number;
  /** An image that was found more recently is not removed. */
  readonly minAgeMs: number;
  /** An image that has not been used for longer is removed, however empty the disk is; 0: none is. */
  readonly maxAgeMs: number;
}

/** An image as it is listed. */
export interface ListedImage {
  readonly id: string;
  readonly size: number;
  readonly isPinned: boolean;
}

/** What is remembered of an image. */
export interface ImageRecord extends ListedImage {
  /** `-Infinity`: it was there when the agent started. */
  readonly foundAt: number;
  /** `-Infinity`: never yet. */
  readonly usedAt: number;
}

export type ImageRecords = ReadonlyMap<string, ImageRecord>;

const LONG_AGO = Number.NEGATIVE_INFINITY;

/** The records after a look at what is there. `before` is absent at the first look. `used`: ids of images that containers have, or will have. */
export const lookedAt = (
  before: ImageRecords | undefined,
  images: readonly ListedImage[],
  used: ReadonlySet<string>,
  now: number,
): ImageRecords =>
  new Map(
    images.map(({ id, size, isPinned }) => {
      const known = before?.get(id);
      const foundAt = known?.foundAt ?? (before ? now : LONG_AGO);
      const usedAt = used.has(id) ? now : (known?.usedAt ?? LONG_AGO);
      return [id, { id, size, isPinned, foundAt, usedAt }];
    }),
  );

/** Images that nobody uses and that may go, the longest unused first; of those the one that has been there the longest. */
export const removable = (records: ImageRecords, now: number): readonly ImageRecord[] =>
  [...records.values()]
    .filter(({ isPinned, usedAt }) => !isPinned && usedAt < now)
    .toSorted((a, b) => compare(a.usedAt, b.usedAt) || compare(a.foundAt, b.foundAt));

/** The difference of two infinities is no number. */
const compare = (a: number, b: number): number => (a < b ? -1 : Number(a > b));

/** Those that are removed for their age. An agent that has just started does not know yet who uses what. */
export const outdated = (
  images: readonly ImageRecord[],
  { maxAgeMs }: ImagePolicy,
  startedAt: number,
  now: number,
): readonly ImageRecord[] =>
  maxAgeMs === 0 || now - startedAt <= maxAgeMs
    ? []
    : images.filter(({ usedAt, foundAt }) => now - Math.max(usedAt, foundAt) > maxAgeMs);

/** Those that may be removed for room, in this order, until there is enough. */
export const oldEnough = (
  images: readonly ImageRecord[],
  { minAgeMs }: ImagePolicy,
  now: number,
): readonly ImageRecord[] => images.filter(({ foundAt }) => now - foundAt >= minAgeMs);

/** The file system of the images. */
export interface ImageDisk {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** How full it is, in whole percent, and how many bytes are to be freed; absent: it is not full. */
export const bytesToFree = (
  { capacityBytes, availableBytes }: ImageDisk,
  { highPercent, lowPercent }: ImagePolicy,
): { readonly usedPercent: number; readonly bytes: number } | undefined => {
  const available = Math.min(availableBytes, capacityBytes);
  const usedPercent = 100 - Math.trunc((available * 100) / capacityBytes);
  if (usedPercent < highPercent) return undefined;
  return { usedPercent, bytes: Math.trunc((capacityBytes * (100 - lowPercent)) / 100) - available };
};

/** Whether nothing is ever removed. */
export const isOff = ({ highPercent, maxAgeMs }: ImagePolicy): boolean =>
  highPercent === 100 && maxAgeMs === 0;
