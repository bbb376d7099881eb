/** The images of a container runtime, and the registries that it pulls from. */

import { optional } from '../../../shared/kube/values/optional.ts';
import type { ImageService, PullRequest, StoredImage } from '../../ports/machine/image-service.ts';
import type { Image } from '../../rules/cri/messages/images.ts';
import { sandboxImages } from '../../rules/images/sandbox-image.ts';
import type { CriClient } from './client.ts';

const userOf = ({ uid, username }: Image): Pick<StoredImage, 'user'> => {
  if (uid) return { user: { uid: uid.value } };
  return username === '' ? {} : { user: { name: username } };
};

const storedImage = (image: Image): StoredImage => ({
  id: image.id,
  repoTags: image.repoTags,
  repoDigests: image.repoDigests,
  size: image.size,
  isPinned: image.pinned,
  ...userOf(image),
});

const requestOf = ({ image, credentials, pod, runtimeHandler }: PullRequest) => ({
  image: { image, ...optional('runtimeHandler', runtimeHandler) },
  ...(credentials && { auth: credentials }),
  sandboxConfig: { metadata: { ...pod, attempt: 0 } },
});

/** How long a pull takes is up to the registry: the runtime gives up one that makes no progress. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The names of the images of all containers, whoever started them. */
const ofContainers = async ({ runtime }: Pick<CriClient, 'runtime'>): Promise<readonly string[]> => {
  const { containers } = await runtime.listContainers({});
  return containers.flatMap(({ imageId, imageRef, image }) => [imageId, imageRef, image?.image ?? '']);
};

/** The image of the sandboxes. Older versions of containerd do not pin it, but name it in their configuration. */
const ofSandboxes = async ({ runtime }: Pick<CriClient, 'runtime'>): Promise<readonly string[]> => {
  const { info } = await runtime.status({ verbose: true });
  return sandboxImages(info['config'] ?? '');
};

export const createCriImages = ({
  images,
  runtime,
}: Pick<CriClient, 'images' | 'runtime'>): ImageService => ({
  used: async () => new Set([...(await ofContainers({ runtime })), ...(await ofSandboxes({ runtime }))]),
  list: async () => (await images.listImages({})).images.map(storedImage),
  status: async (image) => {
    const { image: found } = await images.imageStatus({ image: { image } });
    return found && storedImage(found);
  },
  pull: async (request) => {
    const { signal } = request;
    const { imageRef } = await images.pullImage(requestOf(request), { signal, timeoutMs: NO_LIMIT });
    return imageRef;
  },
  remove: async (id) => void (await images.removeImage({ image: { image: id } })),
  fileSystems: async () => {
    const { imageFilesystems } = await images.imageFsInfo({});
    return imageFilesystems.map(({ fsId, usedBytes, inodesUsed }) => ({
      mountpoint: fsId?.mountpoint ?? '',
      ...(usedBytes && { usedBytes: usedBytes.value }),
      ...(inodesUsed && { inodesUsed: inodesUsed.value }),
    }));
  },
});
