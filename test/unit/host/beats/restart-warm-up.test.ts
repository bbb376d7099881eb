import { expect, it } from 'vitest';
import { createComeback } from '../../../../host/beats/restart-warm-up.ts';

it('a comeback is as long as the spans in which nodes came; a clock that is set counts for none (G-17)', () => {
  const [work, nodes] = [{ ms: 0 }, { heard: 0 }];
  const comingForMs = createComeback({ heardAgain: () => nodes.heard, busyMs: () => work.ms }, 0);
  const look = (now: number, heard: number): number => {
    work.ms += 1_000;
    nodes.heard += heard;
    return comingForMs(now);
  };
  expect(look(1_000, 500)).toBe(1_000);
  expect(look(2_000, 0)).toBe(0);
  expect(look(2_499, 500)).toBe(0);
  expect(look(3_000, 0)).toBe(2_000);
  expect(look(-3_600_000, 500)).toBe(0);
  expect(look(-3_599_000, 500)).toBe(3_000);
  expect(look(3_600_000, 500)).toBe(0);
});
