/** How many pods are created together. Source: kubernetes v1.34 pkg/controller/replicaset `slowStartBatch`. */

/**
 * The sizes of the batches in which pods are created: 1, 2, 4, … (W-51). The first batch with a failure is the last one, so a quota
 * or an admission that refuses all pods costs one request.
 */
export const slowStartBatches = (count: number): readonly number[] => {
  const sizes: number[] = [];
  for (let left = count, size = 1; left > 0; left -= size, size *= 2) {
    size = Math.min(size, left);
    sizes.push(size);
  }
  return sizes;
};
