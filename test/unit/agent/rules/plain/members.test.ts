import { describe, expect, it } from 'vitest';
import { membersOf, type SeenProcess } from '../../../../../agent/rules/plain/members.ts';

const process = (pid: number, more: Partial<SeenProcess> = {}): SeenProcess => ({
  pid,
  startTime: String(pid),
  parent: 1,
  session: pid,
  isMarked: false,
  ...more,
});
const leader = { pid: 100, startTime: '100', hasJustEnded: false };
const pidsOf = (...given: Parameters<typeof membersOf>): readonly number[] =>
  membersOf(...given).map(({ pid }) => pid);

describe('the processes of a container without a control group', () => {
  it.each<readonly [string, SeenProcess]>([
    ['one of its session', process(101, { session: 100 })],
    ['one that left the session and kept its environment', process(101, { isMarked: true })],
    ['one that left both, as long as its parent lives', process(101, { parent: 100 })],
  ])('are the first one and %s', (_, other) => {
    expect(pidsOf([process(100), other, process(5)], leader)).toEqual([100, 101]);
  });

  it('are found over any number of parents', () => {
    const seen = [
      process(103, { parent: 102 }),
      process(102, { parent: 101 }),
      process(101, { parent: 100 }),
    ];
    expect(pidsOf([...seen, process(100)], leader)).toEqual([100, 101, 102, 103]);
  });

  it('are not those of another process that has got the number since', () => {
    const other = [process(100, { startTime: '900' }), process(101, { session: 100, startTime: '901' })];
    expect(pidsOf(other, leader)).toEqual([]);
    expect(pidsOf(other, { ...leader, hasJustEnded: true })).toEqual([]);
  });

  it('are of the session without its first process only if that has just ended', () => {
    const left = [process(101, { session: 100 })];
    expect(pidsOf(left, { ...leader, hasJustEnded: true })).toEqual([101]);
    expect(pidsOf(left, leader)).toEqual([]);
  });

  it('are not older than what made them: a number of a parent may be used again', () => {
    const seen = [process(100, { startTime: '500' }), process(101, { parent: 100, startTime: '400' })];
    expect(pidsOf(seen, { ...leader, startTime: '500' })).toEqual([100]);
  });

  it('are those with the mark where the first process is not known', () => {
    expect(pidsOf([process(100), process(101, { isMarked: true })], undefined)).toEqual([101]);
  });
});
