import { expect, it } from 'vitest';
import { createFolderSizes } from '../../../../agent/stats/folder-sizes.ts';

const PERIOD_MS = 60_000;

const setUp = () => {
  const measured: string[] = [];
  const time = { now: 0 };
  const sizes = createFolderSizes(
    (folder) => {
      measured.push(folder);
      if (folder === '/gone') return Promise.reject(new Error('ENOENT'));
      return Promise.resolve({ bytes: measured.length, inodes: 1 });
    },
    () => time.now,
    PERIOD_MS,
  );
  return { measured, time, sizes };
};

it('a size is known after the first measurement, and measured again when it is old', async () => {
  const { measured, time, sizes } = setUp();
  expect(sizes.sizeOf('/logs')).toBeUndefined();
  expect(sizes.sizeOf('/logs')).toBeUndefined();
  await sizes.idle();
  expect(sizes.sizeOf('/logs')).toEqual({ bytes: 1, inodes: 1 });
  time.now = PERIOD_MS - 1;
  sizes.sizeOf('/logs');
  await sizes.idle();
  expect(measured).toEqual(['/logs']);
  time.now = PERIOD_MS;
  expect(sizes.sizeOf('/logs')).toEqual({ bytes: 1, inodes: 1 });
  await sizes.idle();
  expect(sizes.sizeOf('/logs')).toEqual({ bytes: 2, inodes: 1 });
});

it('a folder that cannot be measured is asked for again a period later', async () => {
  const { measured, time, sizes } = setUp();
  sizes.sizeOf('/gone');
  await sizes.idle();
  expect(sizes.sizeOf('/gone')).toBeUndefined();
  await sizes.idle();
  expect(measured).toEqual(['/gone']);
  time.now = PERIOD_MS;
  sizes.sizeOf('/gone');
  await sizes.idle();
  expect(measured).toEqual(['/gone', '/gone']);
});

it('a folder that nobody asks for is forgotten', async () => {
  const { time, sizes } = setUp();
  sizes.sizeOf('/old');
  await sizes.idle();
  time.now = 2 * PERIOD_MS + 1;
  sizes.sizeOf('/new');
  await sizes.idle();
  expect(sizes.sizeOf('/old')).toBeUndefined();
});
