import { expect, it } from 'vitest';
import { rootOf } from '../../../../../agent/adapters/containers/image-folder.ts';

it('an image of a registry is refused with the option that makes the agent use a runtime', () => {
  expect(() => rootOf({ image: 'nginx' })).toThrow(
    expect.objectContaining({
      reason: 'InvalidImageName',
      message:
        'the image "nginx" is neither "host" nor the absolute path of a folder; for images of registries, start the agent with --container-runtime-endpoint',
    }),
  );
});

it('the image of the machine has no root of its own', () => {
  expect(rootOf({ image: 'host' })).toBeUndefined();
});
