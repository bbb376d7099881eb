/** The devices as which EC2 attaches disks. Source: kubernetes-sigs/aws-ebs-csi-driver pkg/cloud/devicemanager. */

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const named = (prefix: string, letters: readonly string[]): readonly string[] =>
  letters.map((letter) => `/dev/xvd${prefix}${letter}`);

/** Those that work on every type of instance. */
const FIRST = [...named('a', LETTERS), ...named('b', LETTERS)];
const MORE = [...named('d', LETTERS.slice(0, 24)), ...named('', LETTERS.slice(1))];

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
};

/**
 * A device that is not taken; `undefined`: there is none. Which one is tried first follows from the name of the disk: two disks that are
 * attached at the same time seldom ask for the same one, and a device is seldom given to another disk, which EC2 may then leave `attaching`.
 */
export const deviceFor = (disk: string, taken: readonly string[]): string | undefined => {
  const start = hashOf(disk) % FIRST.length;
  const inOrder = [...FIRST.slice(start), ...FIRST.slice(0, start), ...MORE];
  const isTaken = new Set(taken);
  return inOrder.find((device) => !isTaken.has(device));
};
