import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { podLogFolder } from '../../../../../agent/rules/runtime/pod-log-folder.ts';

const UID = '8759fcec-5519-4bd3-a1fb-b5ba3e898660';

it('names the folder of a pod as a kubelet does', () => {
  expect(podLogFolder('/logs', { namespace: 'default', name: 'web', uid: UID })).toBe(
    `/logs/default_web_${UID}`,
  );
});

it.each([
  [209, 'n', 209],
  [210, 'n', 210],
  [211, 'n', 210],
  [253, 'n', 210],
  [253, 'n'.repeat(63), 154],
])('a name of %i bytes in the namespace %s fits into a name of the file system', (length, space, kept) => {
  const namespace = space === 'n' ? 'default' : space;
  const folder = podLogFolder('/logs', { namespace, name: 'p'.repeat(length), uid: UID });
  expect(basename(folder)).toBe(`${namespace}_${'p'.repeat(kept)}_${UID}`);
  expect(Buffer.byteLength(basename(folder))).toBeLessThanOrEqual(255);
});
