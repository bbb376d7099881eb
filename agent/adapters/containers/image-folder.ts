/** Images that are folders of the machine. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import { HOST_IMAGE } from '../../rules/runtime/host-image.ts';
import { StartRefusedError } from './start-refused.ts';

/** The folder that is the container's root; `undefined`: the machine's. Throws if there is no such image. */
export const rootOf = ({ image }: Pick<ContainerSpec, 'image'>): string | undefined => {
  if (image === HOST_IMAGE) return undefined;
  if (!isAbsolute(image))
    throw new StartRefusedError(
      'InvalidImageName',
      `the image "${image}" is neither "${HOST_IMAGE}" nor the absolute path of a folder; for images of registries, start the agent with --container-runtime-endpoint`,
    );
  if (!statSync(image, { throwIfNoEntry: false })?.isDirectory())
    throw new StartRefusedError('ErrImageNeverPull', `the image "${image}" is not a folder of this machine`);
  return realpathSync(image);
};
