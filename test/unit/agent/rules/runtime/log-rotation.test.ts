import { describe, expect, it } from 'vitest';
import {
  liveStart,
  rotatedEnd,
  rotatedName,
  rotationPlan,
} from '../../../../../agent/rules/runtime/log-rotation.ts';

const BOUNDS = { maxSize: 100, maxFiles: 3 };
/** Lines of ten bytes. */
const lines = async (offset: number, least: number): Promise<number | undefined> => {
  const end = Math.floor(offset / 10) * 10;
  return end > least ? end : undefined;
};
const plan = (size: number, rotatedEnds: readonly number[] = [], lineEndBefore = lines) =>
  rotationPlan({ size, rotatedEnds }, BOUNDS, lineEndBefore);

describe('the rotation of a log', () => {
  it.each([
    ['that is within its bounds is nothing', 100, [], [], 0, []],
    ['copies whole lines, and frees them', 105, [], [[0, 100]], 100, []],
    ['goes on behind the last file', 205, [100], [[100, 200]], 200, []],
    ['deletes the oldest file', 305, [100, 200], [[200, 300]], 300, [100]],
    [
      'does not copy what it would delete',
      505,
      [],
      [
        [200, 300],
        [300, 400],
        [400, 500],
      ].slice(1),
      500,
      [],
    ],
    ['makes up for a kill before the blocks were freed', 150, [100], [], 100, []],
    ['makes up for a kill before the old files were deleted', 350, [100, 200, 300], [], 300, [100]],
  ])('%s', async (_, size, ends, copies, freeTo, deletedEnds) => {
    expect(await plan(size, ends)).toEqual({
      copies: copies.map(([from, to]) => ({ from, to })),
      freeTo,
      deletedEnds,
    });
  });

  it('cuts a line that is longer than a file', async () => {
    expect((await plan(250, [], async () => undefined)).copies).toEqual([
      { from: 0, to: 100 },
      { from: 100, to: 200 },
    ]);
  });

  it.each([
    ['without lines', async () => undefined],
    ['with lines', lines],
    [
      'whose lines end where they do most harm',
      async (offset: number, least: number) => (offset > least ? least + 1 : undefined),
    ],
  ])('takes as many steps for a log of any size, %s', async (_, lineEndBefore) => {
    let steps = 0;
    const counted = async (offset: number, least: number): Promise<number | undefined> => {
      steps += 1;
      expect(offset - least).toBeLessThanOrEqual(BOUNDS.maxSize);
      // A line of one byte, and then none for the length of a file.
      return steps % 2 === 0 ? undefined : await lineEndBefore(offset, least);
    };
    const { copies, freeTo } = await plan(8 * 1024 ** 4, [100], counted);
    expect(steps).toBeLessThanOrEqual(2 * BOUNDS.maxFiles + 2);
    expect(copies.length).toBeLessThan(BOUNDS.maxFiles);
    expect(8 * 1024 ** 4 - freeTo).toBeLessThanOrEqual(BOUNDS.maxSize);
  });

  it('keeps where each file ends in its name', () => {
    const name = rotatedName('0.log', 10_485_760);
    expect(name).toBe('0.log.000000010485760');
    expect(rotatedEnd('0.log', name)).toBe(10_485_760);
    expect(['0.log', '0.log.new', '1.log.000000010485760'].map((one) => rotatedEnd('0.log', one))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('begins at the start of a log without older files', () => {
    expect([liveStart({ rotatedEnds: [] }), liveStart({ rotatedEnds: [200, 100] })]).toEqual([0, 200]);
  });
});
