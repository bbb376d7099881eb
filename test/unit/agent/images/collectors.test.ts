import { describe, expect, it } from 'vitest';
import { collectContainers } from '../../../../agent/images/container-collector.ts';
import { createImageCollector } from '../../../../agent/images/image-collector.ts';
import type { ImagePolicy } from '../../../../agent/rules/garbage/image-garbage.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createFakeImages, storedImage } from '../../../support/agent/pods/fake-images.ts';

const POLICY: ImagePolicy = { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 };
const ROUND_MS = 300_000;

const createWorld = (policy: Partial<ImagePolicy> = {}) => {
  const virtual = createVirtualClock(0);
  const clock = { uptime: virtual.now, sleep: virtual.sleep };
  const images = createFakeImages(clock);
  for (const name of ['a', 'b', 'c']) images.stored.set(name, storedImage(name));
  const { inUse: used } = images;
  const wanted = new Set<string>();
  const disk = { capacityBytes: 1000, availableBytes: 500 };
  const events: string[] = [];
  const collector = createImageCollector({
    images,
    clock,
    policy: { ...POLICY, ...policy },
    log: () => undefined,
    wanted: () => wanted,
    disk: async () => disk,
    tell: ({ reason, message }) => void events.push(`${reason}: ${message}`),
  });
  const stop = new AbortController();
  const passes = async (ms: number): Promise<void> => await virtual.run(virtual.sleep(ms));
  return { images, used, wanted, disk, events, collector, stop, passes, virtual };
};

describe('collection of images', () => {
  it('J-179: removes as many as are needed, and none that is used, wanted or pinned', async () => {
    const { images, used, wanted, disk, events, collector, stop, passes } = createWorld();
    images.stored.set('pinned', storedImage('pinned', { isPinned: true }));
    images.stored.set('a', storedImage('a', { repoDigests: ['a@sha256:1'] }));
    used.add('a@sha256:1');
    wanted.add('sha256:b');
    void collector.run(stop.signal);
    await passes(1);
    disk.availableBytes = 150;
    await passes(ROUND_MS);
    expect(images.removed).toEqual(['sha256:c']);
    expect(events).toEqual([]);
    stop.abort();
  });

  it('J-179: tells when there is not enough that may go, and again as a failure if it lasts', async () => {
    const { images, used, disk, events, collector, stop, passes } = createWorld();
    used.add('sha256:a').add('sha256:b');
    disk.availableBytes = 0;
    void collector.run(stop.signal);
    await passes(ROUND_MS + 1);
    const message = (freed: number): string =>
      `Failed to garbage collect required amount of images. Attempted to free 200 bytes, but only found ${freed} bytes eligible to free.`;
    expect(events).toEqual([`FreeDiskSpaceFailed: ${message(100)}`]);
    await passes(ROUND_MS);
    expect(events.slice(1)).toEqual([`FreeDiskSpaceFailed: ${message(0)}`, `ImageGCFailed: ${message(0)}`]);
    expect(images.removed).toEqual(['sha256:c']);
    stop.abort();
  });

  it('J-177: removes nothing before the agent has had time to hear of its pods', async () => {
    const { images, disk, collector, stop, passes } = createWorld();
    disk.availableBytes = 0;
    void collector.run(stop.signal);
    await passes(ROUND_MS - 1);
    expect(images.removed).toEqual([]);
    stop.abort();
  });

  it('J-177: goes on after one that cannot be removed', async () => {
    const { images, disk, events, collector, stop, passes } = createWorld();
    images.removeFault = (id) => (id === 'sha256:a' ? 'busy' : undefined);
    disk.availableBytes = 100;
    void collector.run(stop.signal);
    await passes(ROUND_MS + 1);
    expect(images.removed).toEqual(['sha256:b']);
    expect(events).toEqual([]);
    await passes(ROUND_MS);
    expect(images.removed).toEqual(['sha256:b', 'sha256:c']);
    expect(events).toEqual([
      'ImageGCFailed: wanted to free 100 bytes, but freed 100 bytes space with errors in image deletion: busy',
    ]);
    stop.abort();
  });

  it('J-179: a disk without a size is told', async () => {
    const { disk, events, collector, stop, passes } = createWorld();
    disk.capacityBytes = 0;
    void collector.run(stop.signal);
    await passes(ROUND_MS + 1);
    expect(events).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
    stop.abort();
  });

  it('J-178: removes what nobody has used for long, though the disk is empty', async () => {
    const { images, used, collector, stop, passes } = createWorld({ maxAgeMs: 2 * ROUND_MS });
    used.add('sha256:a');
    void collector.run(stop.signal);
    await passes(2 * ROUND_MS + 1);
    expect(images.removed).toEqual([]);
    await passes(ROUND_MS);
    expect(images.removed).toEqual(['sha256:b', 'sha256:c']);
    stop.abort();
  });

  it('J-177: eviction has all removed that may go, and hears of what could not be', async () => {
    const { images, used, collector, virtual } = createWorld();
    used.add('sha256:b');
    await virtual.run(collector.removeUnused());
    expect(images.removed).toEqual(['sha256:a', 'sha256:c']);
    images.stored.set('d', storedImage('d'));
    await virtual.run(collector.removeUnused());
    expect(images.removed).toHaveLength(2);
    await virtual.run(virtual.sleep(120_000));
    images.removeFault = () => 'busy';
    await expect(virtual.run(collector.removeUnused())).rejects.toThrow(
      'with errors in image deletion: busy',
    );
  });
});

describe('collection of containers', () => {
  it('J-179: looks each minute, and tells what fails', async () => {
    const virtual = createVirtualClock(0);
    const stop = new AbortController();
    const [removed, events]: [string[], string[]] = [[], []];
    let fault: string | undefined;
    const ended = (id: string, createdAt: number) => ({
      id,
      name: 'c',
      state: 'exited' as const,
      createdAt,
      restartCount: createdAt,
      image: 'i',
      imageId: 'i',
    });
    const pod = {
      pod: { namespace: 'd', name: 'p', uid: 'u' },
      measure: { cgroup: '/u', containers: [] },
      containers: [ended('old', 1), ended('new', 2)],
    };
    const runtime = {
      pods: async () => {
        if (fault !== undefined) throw new Error(fault);
        return [pod];
      },
      removeContainer: async (id: string) => void removed.push(id),
    };
    const policy = { minAgeMs: 0, mostPerContainer: 1, most: -1 };
    void collectContainers(
      {
        runtime,
        policy,
        clock: virtual,
        log: () => undefined,
        tell: ({ reason, message }) => void events.push(`${reason}: ${message}`),
      },
      stop.signal,
    );
    await virtual.run(virtual.sleep(1));
    expect(removed).toEqual(['old']);
    fault = 'it is away';
    await virtual.run(virtual.sleep(60_000));
    expect(events).toEqual(['ContainerGCFailed: it is away']);
    stop.abort();
  });
});
