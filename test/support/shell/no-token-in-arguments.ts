/** A set-up file: no program that a test file starts has a token of Rollcall among its arguments, which each user of a machine can read. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type ArgumentWatch, watchArguments } from './argument-watch.ts';

let watch: ArgumentWatch;

beforeAll(() => {
  watch = watchArguments();
});

afterAll(() => {
  watch.stop();
  expect(watch.found()).toEqual([]);
});
