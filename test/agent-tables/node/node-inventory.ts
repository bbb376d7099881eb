import {
  type RuntimeHandler,
  type RuntimeImage,
  reportedHandlers,
  reportedImages,
  reportedVolumes,
  versionInfo,
} from '../../../agent/rules/node/inventory.ts';
import { type Replays, replay } from '../replay.ts';

interface ImagesRow {
  readonly images: readonly RuntimeImage[];
  readonly listError: boolean;
  readonly nodeStatusMaxImages: number;
}

interface VolumesRow {
  readonly old: readonly string[] | null;
  readonly inUse: readonly string[] | null;
  readonly synced: boolean;
}

interface VersionRow {
  readonly runtimeType: string;
  readonly runtimeVersion: string;
  readonly versionError: boolean;
}

/** The Node of the recording, which keeps its fields where a setter fails. */
const UNTOUCHED = {
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: 'v1.20.0',
  osImage: '',
};

export const TABLES: Replays = {
  'node-images': replay(({ images, listError, nodeStatusMaxImages }: ImagesRow) => ({
    error: listError ? 'error getting image list: boom' : null,
    images: listError ? null : (reportedImages(images, nodeStatusMaxImages) ?? null),
  })),
  'node-volumes-in-use': replay(
    ({ old, inUse, synced }: VolumesRow) =>
      reportedVolumes(old ?? undefined, inUse ?? undefined, synced) ?? null,
  ),
  'node-version-info': replay(({ runtimeType, runtimeVersion, versionError }: VersionRow) => {
    if (versionError) return { ...UNTOUCHED, error: 'error getting version info: boom' };
    const { kubeletVersion: _, ...info } = versionInfo({
      kernelVersion: '6.1.0',
      osImage: 'Debian 12',
      runtimeType,
      agentVersion: 'v1.34.4',
      ...(runtimeVersion !== 'error' && { runtimeVersion }),
    });
    return { ...info, error: null };
  }),
  'node-runtime-handlers': replay(({ handlers }: { readonly handlers: readonly RuntimeHandler[] }) =>
    reportedHandlers(handlers),
  ),
};
