/** The index of the first path after `path` in a sorted list. */
export const indexAfter = (paths: readonly string[], path: string): number => {
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? '') > path) high = middle;
    else low = middle + 1;
  }
  return low;
};
