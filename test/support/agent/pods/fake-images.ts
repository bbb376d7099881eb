/** Images in memory, and a registry that fails on demand. */
import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type {
  ImageFileSystem,
  ImageService,
  PullRequest,
  StoredImage,
} from '../../../../agent/ports/machine/image-service.ts';

export interface FakeImages extends ImageService {
  /** Images of the machine, by name with tag. */
  readonly stored: Map<string, StoredImage>;
  /** Pulls that have begun, as `image` or `image user`. */
  readonly pulls: string[];
  readonly removed: string[];
  /** Names of images that containers have. */
  readonly inUse: Set<string>;
  /** How many pulls go on. */
  running: number;
  mostRunning: number;
  /** What the registry makes of a pull: how long it takes, and its error. */
  registry: (request: PullRequest) => { readonly ms: number; readonly error?: string };
  statusFault: string | undefined;
  removeFault: (id: string) => string | undefined;
  fileSystem: ImageFileSystem;
}

export const storedImage = (name: string, changes: Partial<StoredImage> = {}): StoredImage => ({
  id: `sha256:${name}`,
  repoTags: [name],
  repoDigests: [],
  size: 100,
  isPinned: false,
  ...changes,
});

export const createFakeImages = (clock: Pick<Clock, 'sleep'>): FakeImages => {
  const stored = new Map<string, StoredImage>();
  const [pulls, removed]: [string[], string[]] = [[], []];
  const all = (): readonly StoredImage[] => [...new Set(stored.values())];
  const fake: FakeImages = {
    inUse: new Set(),
    used: async () => fake.inUse,
    stored,
    pulls,
    removed,
    running: 0,
    mostRunning: 0,
    statusFault: undefined,
    registry: () => ({ ms: 0 }),
    removeFault: () => undefined,
    fileSystem: { mountpoint: '/var/lib/images' },
    list: async () => all(),
    status: async (image) => {
      if (fake.statusFault !== undefined) throw new Error(fake.statusFault);
      return stored.get(image) ?? all().find(({ id }) => id === image);
    },
    pull: async (request) => {
      const { image, credentials, signal } = request;
      pulls.push(credentials ? `${image} ${credentials.username}` : image);
      fake.running += 1;
      fake.mostRunning = Math.max(fake.mostRunning, fake.running);
      try {
        const { ms, error } = fake.registry(request);
        await clock.sleep(ms, signal);
        signal.throwIfAborted();
        if (error !== undefined) throw new Error(error);
      } finally {
        fake.running -= 1;
      }
      const there = stored.get(image) ?? storedImage(image);
      stored.set(image, there);
      return there.id;
    },
    remove: async (id) => {
      const fault = fake.removeFault(id);
      if (fault !== undefined) throw new Error(fault);
      removed.push(id);
      for (const [name, one] of stored) if (one.id === id) stored.delete(name);
    },
    fileSystems: async () => [fake.fileSystem],
  };
  return fake;
};
