/** Names of the files beside a container's log. */

/** A file of older lines that a CRI log was renamed to: `0.log.20260102-030405`, perhaps compressed. Source: kubernetes v1.34 pkg/kubelet/logs. */
const ROTATED = /^\.\d{8}-\d{6}(\.gz)?$/;

/**
 * The names of the files of older lines of a CRI log, oldest first. While one is being compressed both are there, and the one that is not
 * compressed counts, because it is whole.
 */
export const rotatedCriNames = (log: string, names: readonly string[]): readonly string[] => {
  const rotated = names.filter((name) => name.startsWith(log) && ROTATED.test(name.slice(log.length)));
  const plain = new Set(rotated);
  return rotated.filter((name) => !(name.endsWith('.gz') && plain.has(name.slice(0, -3)))).sort();
};
