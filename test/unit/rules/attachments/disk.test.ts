import { describe, expect, it } from 'vitest';
import {
  attachStep,
  type Disk,
  type DiskAttachment,
  detachStep,
  FORCE_AFTER_TRIES,
  isAt,
  isOff,
} from '../../../../shared/rules/attachments/disk.ts';
import { deviceFor } from '../../../../shared/rules/attachments/disk-devices.ts';
import { isStuck, nextTryMs } from '../../../../shared/rules/attachments/disk-tries.ts';

const PLACE = { disk: 'vol-1', machine: 'i-1' };

const at = (machine: string, state: DiskAttachment['state']): DiskAttachment => ({
  machine,
  device: '/dev/xvdaa',
  state,
});
const disk = (attachments: readonly DiskAttachment[], more: Partial<Disk> = {}): Disk => ({
  isReady: true,
  isShared: false,
  attachments,
  ...more,
});

const WAIT = { does: 'wait' };
const ATTACH = { does: 'attach' };
const fail = (why: string) => ({ does: 'fail', why });

describe('attachStep (J-102)', () => {
  it.each([
    ['a free disk is attached', disk([]), false, ATTACH],
    ['one that is being made is waited for', disk([], { isReady: false }), false, WAIT],
    ['one on its way is waited for', disk([at('i-1', 'attaching')]), true, WAIT],
    ['one that leaves is waited for', disk([at('i-1', 'detaching')]), false, WAIT],
    ['one that cannot leave is waited for', disk([at('i-1', 'busy')]), true, WAIT],
    [
      'one that is there is there',
      disk([at('i-1', 'attached')]),
      true,
      { does: 'done', device: '/dev/xvdaa' },
    ],
    [
      'one that is said to be there before anybody asked is asked for',
      disk([at('i-1', 'attached')]),
      false,
      ATTACH,
    ],
    ['one of another machine fails', disk([at('i-2', 'attached')]), false, fail('it is still at node "i-2"')],
    [
      'one that leaves another machine fails',
      disk([at('i-2', 'detaching')]),
      true,
      fail('it is still at node "i-2"'),
    ],
    ['one that both may have is attached', disk([at('i-2', 'attached')], { isShared: true }), false, ATTACH],
    ['one that does not exist fails', undefined, false, fail('there is no such volume')],
  ] as const)('%s', (_, given, isAsked, expected) =>
    expect(attachStep(given, PLACE, isAsked)).toEqual(expected),
  );
});

describe('detachStep (J-103, J-104)', () => {
  const late = FORCE_AFTER_TRIES;
  it.each([
    ['a disk that is there', disk([at('i-1', 'attached')]), 0, 'detach'],
    ['one on its way there', disk([at('i-1', 'attaching')]), 0, 'detach'],
    ['one that is nowhere, because descriptions lag', disk([]), 0, 'detach'],
    ['one that does not exist', undefined, late, 'detach'],
    ['one of another machine', disk([at('i-2', 'busy')]), late, 'detach'],
    ['one that leaves', disk([at('i-1', 'detaching')]), late - 1, 'wait'],
    ['one that does not leave', disk([at('i-1', 'detaching')]), late, 'force'],
    ['one that is still in use', disk([at('i-1', 'busy')]), late - 1, 'wait'],
    ['one that is in use for long', disk([at('i-1', 'busy')]), late, 'force'],
  ] as const)('%s', (_, given, tries, expected) => expect(detachStep(given, PLACE, tries)).toBe(expected));

  it.each([
    ['running', false],
    ['stopping', false],
    ['shutting-down', false],
    ['stopped', true],
    ['terminated', true],
  ] as const)('a machine that is %s is off: %s', (state, expected) =>
    expect(isOff({ state, devices: [] })).toBe(expected),
  );

  it('a machine that does not exist is off', () => expect(isOff(undefined)).toBe(true));

  it('a disk is at a machine in any state, and at no other one', () => {
    expect(isAt(disk([at('i-1', 'detaching')]), PLACE)).toBe(true);
    expect(isAt(disk([at('i-2', 'attached')]), PLACE)).toBe(false);
    expect(isAt(undefined, PLACE)).toBe(false);
  });
});

describe('deviceFor (J-105)', () => {
  it('takes the same device for a disk each time, and another one if that is taken', () => {
    const first = deviceFor('vol-1', []) ?? '';
    expect(first).toMatch(/^\/dev\/xvd[ab][a-z]$/);
    expect(deviceFor('vol-1', [])).toBe(first);
    expect(deviceFor('vol-1', [first])).not.toBe(first);
  });

  it('finds each device once, those that work everywhere first', () => {
    const taken: string[] = [];
    for (let next = deviceFor('vol-1', taken); next !== undefined; next = deviceFor('vol-1', taken))
      taken.push(next);
    expect(taken).toHaveLength(52 + 24 + 25);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.slice(0, 52).every((device) => /xvd[ab][a-z]$/.test(device))).toBe(true);
  });

  it('begins elsewhere for most other disks', () => {
    const first = new Set(Array.from({ length: 100 }, (_, n) => deviceFor(`vol-${n}`, [])));
    expect(first.size).toBeGreaterThan(30);
  });
});

describe('nextTryMs (J-106)', () => {
  it.each([
    [0, false, 1_000],
    [3, false, 8_000],
    [4, false, 10_000],
    [40, false, 10_000],
    [0, true, 1_000],
    [8, true, 256_000],
    [9, true, 300_000],
    [4_000, true, 300_000],
  ])('after %i looks, failed: %s, the next one is %i ms away', (tries, isFailure, expected) =>
    expect(nextTryMs(tries, isFailure)).toBe(expected),
  );

  it('a disk on its way for a minute is stuck', () => {
    expect([7, 8].map(isStuck)).toEqual([false, true]);
  });
});
