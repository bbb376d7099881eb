/** What the writable layers of containers take, as the runtime says. Source: kubernetes v1.34 pkg/kubelet/stats `cri_stats_provider.go`. */
import { type Known, known, NOT_KNOWN } from '../../rules/known.ts';
import type { FolderSize } from '../../rules/stats/pod-storage.ts';
import { type Parts, selector } from './parts.ts';

/** Asks for all layers of the agent's containers. What the runtime does not answer stays as it was. */
export const readLayers = async (parts: Parts): Promise<void> => {
  const filter = { labelSelector: selector(parts) };
  const { stats } = await parts.client.runtime.listContainerStats({ filter });
  parts.layers.clear();
  for (const { attributes, writableLayer } of stats) {
    const bytes = writableLayer?.usedBytes?.value;
    const size = bytes === undefined ? 'no layer' : { bytes, inodes: writableLayer?.inodesUsed?.value ?? 0 };
    if (attributes) parts.layers.set(attributes.id, size);
  }
};

/** The size of the container's layer; `undefined`: it has none. Not known: the runtime has not told of the container yet. */
export const layerOf = ({ layers }: Pick<Parts, 'layers'>, id: string): Known<FolderSize> | undefined => {
  const size = layers.get(id);
  if (size === 'no layer') return undefined;
  return size ? known(size) : NOT_KNOWN;
};
