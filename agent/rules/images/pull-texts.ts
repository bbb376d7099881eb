/** What is told about images. Source: kubernetes v1.34 pkg/kubelet/images `imageManager`. */
import { goDurationText } from '../../../shared/kube/text/go-duration.ts';
import { quote } from '../../../shared/kube/text/go-quote.ts';
import type { ImageBackOff } from './image-back-off.ts';

/** An Event of the container. */
export interface ImageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Why a container has no image: reason and message of its waiting state. */
export interface ImageFault {
  readonly reason: string;
  readonly message: string;
}

const normal = (reason: string, message: string): ImageEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): ImageEvent => ({ type: 'Warning', reason, message });

/** A fault with the event that tells it. */
export interface ToldFault {
  readonly fault: ImageFault;
  readonly event: ImageEvent;
}

const told = (reason: string, message: string, event: ImageEvent): ToldFault => ({
  fault: { reason, message },
  event,
});

export const invalidName = (image: string, why: string): ToldFault => {
  const message = `Failed to apply default image tag ${quote(image)}: couldn't parse image reference ${quote(image)}: ${why}`;
  return told('InvalidImageName', message, warning('InspectFailed', message));
};

export const inspectFault = (image: string, why: string): ToldFault => {
  const message = `Failed to inspect image ${quote(image)}: ${why}`;
  return told('ImageInspectError', message, warning('InspectFailed', message));
};

export const neverPulled = (image: string): ToldFault => {
  const message = `Container image ${quote(image)} is not present with pull policy of Never`;
  return told('ErrImageNeverPull', message, warning('ErrImageNeverPull', message));
};

/** The state says how the last pull failed, the event does not. */
export const pullBackOff = (image: string, { fault }: Pick<ImageBackOff, 'fault'>): ToldFault => {
  const message = `Back-off pulling image ${quote(image)}`;
  return told('ImagePullBackOff', `${message}: ${fault}`, normal('BackOff', message));
};

/** Errors of a runtime that have a reason of their own, by how they begin, and what that says. */
const KNOWN_ERRORS = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
] as const;

export const pullFault = (image: string, error: string): ToldFault => {
  const event = warning('Failed', `Failed to pull image ${quote(image)}: ${error}`);
  const known = KNOWN_ERRORS.find(([prefix]) => error.startsWith(prefix));
  if (!known) return told('ErrImagePull', error, event);
  const [reason, what] = known;
  const details = error.slice(reason.length);
  return told(reason, `image pull failed for ${image} because ${what}${details}`, event);
};

export const alreadyPresent = (image: string): ImageEvent =>
  normal('Pulled', `Container image ${quote(image)} already present on machine`);

export const pulling = (image: string): ImageEvent => normal('Pulling', `Pulling image ${quote(image)}`);

const durationText = (ms: number): string => goDurationText(BigInt(Math.trunc(ms)) * 1_000_000n);

export interface Pulled {
  /** Milliseconds of the pull itself, and since it was asked for. */
  readonly pullMs: number;
  readonly totalMs: number;
  /** Bytes. */
  readonly size: number;
}

export const pulled = (image: string, { pullMs, totalMs, size }: Pulled): ImageEvent =>
  normal(
    'Pulled',
    `Successfully pulled image ${quote(image)} in ${durationText(pullMs)} (${durationText(totalMs)} including waiting). Image size: ${size} bytes.`,
  );

/** Of the pod; `undefined`: all its secrets are there. Source: kubernetes v1.34 pkg/kubelet `getPullSecretsForPod`. */
export const missingSecrets = (names: readonly string[]): ImageEvent | undefined =>
  names.length === 0
    ? undefined
    : warning(
        'FailedToRetrieveImagePullSecret',
        `Unable to retrieve some image pull secrets (${names.join(', ')}); attempting to pull the image may not succeed.`,
      );
