/** The mutations of the integration tests (`test/integration/mutations.ts`) find in the template what they take away. */
import { expect, it } from 'vitest';
import { MUTATIONS } from '../integration/mutations.ts';
import { synth } from './assembly.ts';

it.each(Object.entries(MUTATIONS))('%s', (_name, { take }) => {
  const resources = structuredClone(synth().resources);
  expect(take({ resources, rewrite: (of) => of !== undefined })).toBe(true);
});
