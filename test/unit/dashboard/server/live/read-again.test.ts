import { expect, it } from 'vitest';
import { createReadAgain } from '../../../../../dashboard/server/live/read-again.ts';

const nothing = (): void => undefined;
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n1' } };

const world = () => {
  const whole = new AbortController();
  let [now, connected] = [0, 0];
  const source = {
    heard: nothing,
    round: () => whole.signal,
    reconnect: () => {
      connected += 1;
    },
  };
  const again = createReadAgain(source, () => now);
  const told = again.told({
    onReset: nothing,
    onObject: nothing,
    onDeleted: nothing,
    onWhole: nothing,
    onAnswer: nothing,
    onFailure: nothing,
  });
  const read = (): void => {
    told.onReset();
    told.onObject(LEASE);
    told.onWhole();
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  read();
  return { again, told, read, whole, pass, connected: () => connected };
};

it('a collection is read again once for many questions, on new connections', () => {
  const { again, connected } = world();
  const first = again.source.round();
  again.ask();
  again.ask();
  expect([first.aborted, connected(), again.source.round().aborted]).toEqual([true, 1, false]);
});

it('a collection that nothing else is heard of is read again ever less often', () => {
  const { again, read, pass, connected } = world();
  const instants: number[] = [];
  for (let second = 0; second < 300; second += 1) {
    const before = connected();
    again.ask();
    if (connected() > before) instants.push(second);
    read();
    pass(1_000);
  }
  expect(instants).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
});

it('a collection whose watch brought something is read again at once when it falls silent', () => {
  const { again, told, read, connected } = world();
  again.ask();
  read();
  again.ask();
  expect(connected()).toBe(1);
  told.onObject(LEASE);
  again.ask();
  expect(connected()).toBe(2);
});

it('a collection is read again with all others', () => {
  const { again, whole } = world();
  const round = again.source.round();
  whole.abort();
  expect(round.aborted).toBe(true);
});
