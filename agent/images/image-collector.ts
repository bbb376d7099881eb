/** Removes images that nobody uses. Source: kubernetes v1.34 pkg/kubelet/images `realImageGCManager`, pkg/kubelet `StartGarbageCollection`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { ImageService, StoredImage } from '../ports/machine/image-service.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import {
  type GarbageEvent,
  garbageEvent,
  NO_CAPACITY,
  notEnough,
  notRemoved,
} from '../rules/garbage/garbage-texts.ts';
import {
  bytesToFree,
  type ImageDisk,
  type ImagePolicy,
  type ImageRecord,
  type ImageRecords,
  isOff,
  lookedAt,
  oldEnough,
  outdated,
  removable,
} from '../rules/garbage/image-garbage.ts';

export interface ImageCollectorOptions {
  readonly images: Pick<ImageService, 'list' | 'used' | 'remove'>;
  readonly policy: ImagePolicy;
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  /** Ids of those that containers are about to have. */
  wanted(): ReadonlySet<string>;
  /** The file system of the images. */
  disk(): Promise<ImageDisk>;
  tell(event: GarbageEvent): void;
  readonly log: Log;
}

export interface ImageCollector {
  /** Removes all that may go, for eviction. Rejects if something could not be removed. */
  removeUnused(): Promise<void>;
  /** Looks at the images and the disk until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** The pause between two looks. */
const PERIOD_MS = 300_000;

interface Parts extends ImageCollectorOptions {
  records: ImageRecords | undefined;
  /** How many rounds have failed one after the other. */
  failures: number;
}

const look = async (parts: Parts): Promise<readonly ImageRecord[]> => {
  const { images, wanted, clock } = parts;
  const all = await images.list();
  // Asked last: a container that has started since the list was made has its image.
  const inUse = await images.used();
  const now = clock.uptime();
  const names = new Set([...inUse, ...wanted()]);
  const isUsed = ({ id, repoDigests, repoTags }: StoredImage): boolean =>
    [id, ...repoDigests, ...repoTags].some((name) => names.has(name));
  const ids = all.filter(isUsed).map(({ id }) => id);
  parts.records = lookedAt(parts.records, all, new Set(ids), now);
  return removable(parts.records, now);
};

interface Removal {
  readonly freedBytes: number;
  readonly faults: readonly string[];
  readonly left: readonly ImageRecord[];
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Removes one after the other until enough is free. */
const removeSome = async (
  { images, wanted, log }: Parts,
  candidates: readonly ImageRecord[],
  bytes: number,
): Promise<Removal> => {
  let freedBytes = 0;
  const faults: string[] = [];
  const removed = new Set<string>();
  for (const { id, size } of candidates) {
    if (freedBytes >= bytes) break;
    if (wanted().has(id)) continue;
    try {
      await images.remove(id);
      log(`image garbage collection: removed the image ${id} of ${size} bytes`);
      removed.add(id);
      freedBytes += size;
    } catch (error) {
      faults.push(textOf(error));
    }
  }
  return { freedBytes, faults, left: candidates.filter(({ id }) => !removed.has(id)) };
};

const free = async (parts: Parts, found: readonly ImageRecord[], bytes: number): Promise<number> => {
  const candidates = oldEnough(found, parts.policy, parts.clock.uptime());
  const { freedBytes, faults } = await removeSome(parts, candidates, bytes);
  if (faults.length > 0) throw new Error(notRemoved(bytes, freedBytes, faults));
  return freedBytes;
};

/** Removes what is too old; returns the others. */
const removeOutdated = async (
  parts: Parts,
  found: readonly ImageRecord[],
  startedAt: number,
): Promise<readonly ImageRecord[]> => {
  const old = outdated(found, parts.policy, startedAt, parts.clock.uptime());
  const { faults, left } = await removeSome(parts, old, Number.POSITIVE_INFINITY);
  if (faults.length > 0) throw new Error(faults.join(', '));
  const gone = new Set(old.filter((one) => !left.includes(one)));
  return found.filter((one) => !gone.has(one));
};

const makeRoom = async (parts: Parts, found: readonly ImageRecord[]): Promise<void> => {
  const { policy, disk, tell } = parts;
  const measured = await disk();
  if (measured.capacityBytes === 0) {
    tell(garbageEvent('InvalidDiskCapacity', NO_CAPACITY));
    throw new Error(NO_CAPACITY);
  }
  const wanted = bytesToFree(measured, policy);
  if (!wanted) return;
  const freed = await free(parts, found, wanted.bytes);
  if (freed >= wanted.bytes) return;
  const message = notEnough(wanted.bytes, freed);
  tell(garbageEvent('FreeDiskSpaceFailed', message));
  throw new Error(message);
};

/** The first round only looks: nobody has told the agent yet which pods it has. One that fails may have come too early; a second one is told. */
const round = async (parts: Parts, startedAt: number): Promise<void> => {
  try {
    const isFirst = parts.records === undefined;
    const found = await look(parts);
    if (!isFirst && !isOff(parts.policy))
      await makeRoom(parts, await removeOutdated(parts, found, startedAt));
    parts.failures = 0;
  } catch (error) {
    parts.failures += 1;
    parts.log('image garbage collection failed', error);
    if (parts.failures > 1) parts.tell(garbageEvent('ImageGCFailed', textOf(error)));
  }
};

export const createImageCollector = (options: ImageCollectorOptions): ImageCollector => {
  const parts: Parts = { ...options, records: undefined, failures: 0 };
  const { clock } = options;
  return {
    removeUnused: async () => void (await free(parts, await look(parts), Number.MAX_SAFE_INTEGER)),
    run: async (signal) => {
      const startedAt = clock.uptime();
      while (!signal.aborted) {
        await round(parts, startedAt);
        await clock.sleep(PERIOD_MS);
      }
    },
  };
};
