/** Sees to it that the image of a container is there before it starts. Source: kubernetes v1.34 pkg/kubelet/images `EnsureImageExists`. */

import { optional } from '../../shared/kube/values/optional.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { ImageService, StoredImage } from '../ports/machine/image-service.ts';
import type { PodIdentity } from '../ports/machine/runtime.ts';
import { aggregateText } from '../rules/aggregate-text.ts';
import { type Credentials, type PullSecret, readPullSecrets } from '../rules/images/credentials.ts';
import { afterFailure, type ImageBackOff, remembered, waitOf } from '../rules/images/image-back-off.ts';
import { type ImageName, parseImageName, withDefaultTag } from '../rules/images/image-name.ts';
import { credentialsFor } from '../rules/images/keyring.ts';
import { pullDecision, usesPresent } from '../rules/images/pull-policy.ts';
import { afterPull, type PullBudget, type PullRate, TOO_MANY_PULLS } from '../rules/images/pull-rate.ts';
import * as texts from '../rules/images/pull-texts.ts';
import { createPullQueue } from './pull-queue.ts';

export interface WantedImage {
  readonly pod: PodIdentity;
  /** As the container names it. */
  readonly image: string;
  /** `Always`, `IfNotPresent` or `Never`. */
  readonly policy: string;
  readonly secrets: readonly PullSecret[];
  readonly runtimeHandler?: string;
  /** Ends the wait and the pull. */
  readonly signal: AbortSignal;
  tell(event: texts.ImageEvent): void;
}

/** There is none, and why. `waitMs`: for how long it is not worth another look; absent: it is at once, and will tell for how long. */
export interface MissingImage {
  readonly fault: texts.ImageFault;
  readonly waitMs?: number;
}

export type EnsuredImage = { readonly image: StoredImage } | MissingImage;

export interface ImageManager {
  /** Rejects only if the signal aborts, or the manager is closed. */
  ensure(wanted: WantedImage): Promise<EnsuredImage>;
  /** Ids of images that a container is about to start with, though none has them yet. */
  wanted(): ReadonlySet<string>;
  /** Whether a pull has failed lately: other credentials would help. */
  isFailing(): boolean;
  /** Ends all pulls and waits, those that are asked for later too. */
  close(): void;
  isClosed(): boolean;
}

export interface ImageManagerOptions {
  readonly images: Pick<ImageService, 'status' | 'pull'>;
  readonly clock: Pick<Clock, 'uptime'>;
  readonly rate: PullRate;
  /** Pulls at the same time; absent: any number. */
  readonly mostPulls?: number;
}

/** When something else than a pull is tried again. Source: kubernetes v1.34 pkg/kubelet `backOffPeriod`. */
const RETRY_MS = 10_000;
/** For how long an image that was found is kept for the container that is about to start. */
const WANTED_MS = 120_000;

interface Parts extends ImageManagerOptions {
  readonly queue: ReturnType<typeof createPullQueue>;
  backOffs: ReadonlyMap<string, ImageBackOff>;
  budget: PullBudget | undefined;
  /** Until when each is wanted. */
  readonly wanted: Map<string, number>;
  /** Of those that wait or pull. */
  readonly open: Set<AbortController>;
  isClosed: boolean;
}

interface Named extends WantedImage {
  readonly name: ImageName;
  /** As the runtime gets it. */
  readonly fullName: string;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const refused = (
  { tell }: WantedImage,
  { fault, event }: texts.ToldFault,
  waitMs = RETRY_MS,
): MissingImage => {
  tell(event);
  return { fault, waitMs };
};

const keyOf = ({ pod, image }: WantedImage): string => `${pod.uid} ${image}`;

/** Tries all credentials until one is taken. */
const pullWith = async ({ images }: Parts, wanted: Named, all: readonly Credentials[]): Promise<string> => {
  const { fullName: image, pod, runtimeHandler, signal } = wanted;
  const request = { image, pod, signal, ...optional('runtimeHandler', runtimeHandler) };
  if (all.length === 0) return await images.pull(request);
  const faults: string[] = [];
  for (const credentials of all) {
    try {
      return await images.pull({ ...request, credentials });
    } catch (error) {
      signal.throwIfAborted();
      faults.push(textOf(error));
    }
  }
  throw new Error(aggregateText(faults));
};

const pullOnce = async (parts: Parts, wanted: Named): Promise<StoredImage> => {
  const { clock, rate, images } = parts;
  const read = readPullSecrets(wanted.secrets);
  if ('fault' in read) throw new Error(read.fault);
  const budget = afterPull(rate, parts.budget, clock.uptime());
  if (!budget) throw new Error(TOO_MANY_PULLS);
  parts.budget = budget;
  const reference = await pullWith(parts, wanted, credentialsFor(read.entries, wanted.name.repository));
  const found = await images.status(reference);
  if (found) return found;
  throw new Error(`the image was pulled as ${reference}, and the runtime does not have it`);
};

const timedPull = async (parts: Parts, wanted: Named) => {
  const { clock, queue } = parts;
  const askedAt = clock.uptime();
  return await queue(async () => {
    const begunAt = clock.uptime();
    const image = await pullOnce(parts, wanted);
    const now = clock.uptime();
    return { image, pullMs: now - begunAt, totalMs: now - askedAt };
  }, wanted.signal);
};

const pull = async (parts: Parts, wanted: Named): Promise<EnsuredImage> => {
  const { clock } = parts;
  const [key, { image: name, tell, signal }] = [keyOf(wanted), wanted];
  const before = parts.backOffs.get(key);
  const waitMs = waitOf(before, clock.uptime());
  if (before && waitMs > 0) return refused(wanted, texts.pullBackOff(name, before), waitMs);
  tell(texts.pulling(name));
  try {
    const { image, ...times } = await timedPull(parts, wanted);
    tell(texts.pulled(name, { ...times, size: image.size }));
    parts.backOffs = remembered(parts.backOffs, clock.uptime());
    return { image };
  } catch (error) {
    signal.throwIfAborted();
    const told = texts.pullFault(name, textOf(error));
    const { reason, message } = told.fault;
    const backOff = afterFailure(before, clock.uptime(), `${reason}: ${message}`);
    parts.backOffs = new Map(parts.backOffs).set(key, backOff);
    tell(told.event);
    return { fault: told.fault };
  }
};

const ensureNamed = async (parts: Parts, wanted: Named): Promise<EnsuredImage> => {
  const { image: name, fullName, policy, tell } = wanted;
  let present: StoredImage | undefined;
  try {
    if (usesPresent(policy)) present = await parts.images.status(fullName);
  } catch (error) {
    return refused(wanted, texts.inspectFault(name, textOf(error)));
  }
  const decision = pullDecision(policy, present !== undefined);
  if (decision === 'missing') return refused(wanted, texts.neverPulled(name));
  if (decision === 'pull' || !present) return await pull(parts, wanted);
  tell(texts.alreadyPresent(name));
  return { image: present };
};

const ensure = async (parts: Parts, wanted: WantedImage): Promise<EnsuredImage> => {
  const name = parseImageName(wanted.image);
  if ('fault' in name) return refused(wanted, texts.invalidName(wanted.image, name.fault));
  const named = { ...wanted, name, fullName: withDefaultTag(wanted.image, name) };
  const ensured = await ensureNamed(parts, named);
  if ('image' in ensured) parts.wanted.set(ensured.image.id, parts.clock.uptime() + WANTED_MS);
  return ensured;
};

/** The same with a signal that aborts also when the manager is closed. */
const untilClosed = async <T>(
  parts: Parts,
  wanted: WantedImage,
  work: (wanted: WantedImage) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (parts.isClosed || wanted.signal.aborted) abort();
  parts.open.add(controller);
  wanted.signal.addEventListener('abort', abort, { once: true });
  try {
    return await work({ ...wanted, signal: controller.signal });
  } finally {
    wanted.signal.removeEventListener('abort', abort);
    parts.open.delete(controller);
  }
};

export const createImageManager = (options: ImageManagerOptions): ImageManager => {
  const parts: Parts = {
    ...options,
    queue: createPullQueue(options.mostPulls),
    backOffs: new Map(),
    budget: undefined,
    wanted: new Map(),
    open: new Set(),
    isClosed: false,
  };
  return {
    ensure: (wanted) => untilClosed(parts, wanted, (one) => ensure(parts, one)),
    wanted: () => {
      const now = options.clock.uptime();
      for (const [id, until] of parts.wanted) if (until < now) parts.wanted.delete(id);
      return new Set(parts.wanted.keys());
    },
    close: () => {
      parts.isClosed = true;
      for (const one of parts.open) one.abort();
    },
    isClosed: () => parts.isClosed,
    isFailing: () => remembered(parts.backOffs, options.clock.uptime()).size > 0,
  };
};
