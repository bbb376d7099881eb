import { expect, it } from 'vitest';
import { sandboxImages } from '../../../../../agent/rules/images/sandbox-image.ts';

it.each([
  ['containerd 1', '{"sandboxImage":"pause:1"}', ['pause:1']],
  ['containerd 2', '{"pinnedImages":{"sandbox":"pause:2"}}', ['pause:2']],
  ['another runtime', '', []],
  ['an empty name', '{"sandboxImage":""}', []],
  ['something else', '[1]', []],
])('J-177: the image of the sandboxes is never removed: %s', (_name, config, expected) => {
  expect(sandboxImages(config)).toEqual(expected);
});
