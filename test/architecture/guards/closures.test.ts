import { expect, it } from 'vitest';
import { filesOfRoom } from './closures.ts';
import { FUNCTIONS } from './source.ts';

const GRAPH = new Map([
  ['a/start.ts', ['a/b.ts', 'zod', 'room/gone.ts']],
  ['a/b.ts', ['room/one.ts', 'a/start.ts']],
  ['room/one.ts', ['room/two.ts', 'roomy/x.ts']],
  ['room/two.ts', ['room/one.ts']],
  ['room/unreached.ts', ['a/start.ts']],
  ['roomy/x.ts', []],
]);

it.each([
  ['a/start.ts', ['room/one.ts', 'room/two.ts']],
  ['room/two.ts', ['room/two.ts', 'room/one.ts']],
  ['roomy/x.ts', []],
])('%s imports these files of the room, directly or not', (start, files) => {
  expect(filesOfRoom(start, 'room/', GRAPH)).toEqual(files);
});

it('the functions are found', () => {
  expect(FUNCTIONS.get('replica-set')).toBe('lambdas/replica-set/handler.ts');
});
