import { expect, it } from 'vitest';
import { createReadAgain } from '../../../../../dashboard/server/live/read-again.ts';

const nothing = (): void => undefined;

const FOLLOWER = {
  onReset: nothing,
  onObject: nothing,
  onDeleted: nothing,
  onWhole: nothing,
  onAnswer: nothing,
  onFailure: nothing,
};

const world = () => {
  const whole = new AbortController();
  let closed = 0;
  const again = createReadAgain({
    heard: nothing,
    round: () => whole.signal,
    closeIdle: () => {
      closed += 1;
    },
  });
  return { again, whole, closed: () => closed };
};

it('a collection is read again once for many questions, until it is whole, on new connections', () => {
  const { again, closed } = world();
  const first = again.source.round();
  again.ask();
  again.ask();
  expect([first.aborted, closed()]).toEqual([true, 1]);
  const second = again.source.round();
  expect(second.aborted).toBe(false);
  again.told(FOLLOWER).onWhole();
  again.ask();
  expect([second.aborted, closed()]).toEqual([true, 2]);
});

it('a collection is read again with all others', () => {
  const { again, whole } = world();
  const round = again.source.round();
  whole.abort();
  expect(round.aborted).toBe(true);
});
