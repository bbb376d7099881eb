/** The images of this machine: those that pods start with, and those that are removed. */
import type { AgentSettings } from '../../config/agent-settings.ts';
import { createImageCollector, type ImageCollector } from '../../images/image-collector.ts';
import { createImageManager, type ImageManager } from '../../images/image-manager.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { ImageService } from '../../ports/machine/image-service.ts';
import type { MachineSource } from '../../ports/machine/machine-source.ts';
import type { Log } from '../../ports/machine/shutdown.ts';
import type { KubeletConfig } from '../../rules/config/kubelet-config.ts';
import type { GarbageEvent } from '../../rules/garbage/garbage-texts.ts';
import type { ImageDisk, ImagePolicy } from '../../rules/garbage/image-garbage.ts';
import type { PullRate } from '../../rules/images/pull-rate.ts';

export interface MachineImagesDeps {
  readonly images: ImageService;
  readonly machine: Pick<MachineSource, 'fileSystem'>;
  readonly settings: Pick<AgentSettings, 'config'>;
  readonly clock: Clock;
  readonly log: Log;
  tell(event: GarbageEvent): void;
}

export interface MachineImages extends ImageCollector {
  readonly manager: ImageManager;
}

const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

const policyOf = (config: KubeletConfig): ImagePolicy => {
  const { imageGCHighThresholdPercent: highPercent, imageGCLowThresholdPercent: lowPercent } = config;
  const { imageMinimumGCAge, imageMaximumGCAge } = config;
  const [minAgeMs, maxAgeMs] = [milliseconds(imageMinimumGCAge), milliseconds(imageMaximumGCAge)];
  return { highPercent, lowPercent, minAgeMs, maxAgeMs };
};

const rateOf = ({ registryPullQPS: perSecond, registryBurst: burst }: KubeletConfig): PullRate => ({
  perSecond,
  burst,
});

/** Pulls at the same time; absent: any number. */
const mostPulls = ({ serializeImagePulls, maxParallelImagePulls }: KubeletConfig) => {
  if (serializeImagePulls) return { mostPulls: 1 };
  return maxParallelImagePulls === undefined ? {} : { mostPulls: maxParallelImagePulls };
};

/** Rejects if the runtime does not tell where its images are. */
const diskOf = async ({ images, machine }: MachineImagesDeps): Promise<ImageDisk> => {
  const [first] = await images.fileSystems();
  if (!first) throw new Error('the container runtime names no file system of its images');
  const { capacity, available } = await machine.fileSystem(first.mountpoint);
  return { capacityBytes: capacity, availableBytes: available };
};

export const createMachineImages = (deps: MachineImagesDeps): MachineImages => {
  const { images, settings, clock, log, tell } = deps;
  const { config } = settings;
  const manager = createImageManager({
    images,
    clock,
    rate: rateOf(config),
    ...mostPulls(config),
  });
  const collector = createImageCollector({
    images,
    clock,
    log,
    tell,
    policy: policyOf(config),
    wanted: manager.wanted,
    disk: () => diskOf(deps),
  });
  return { ...collector, manager };
};
