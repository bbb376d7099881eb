/** Changes that the stream delivers again: each is told once. The emulator repeats them if it runs with `--hostile`. */
import { expect, it } from 'vitest';
import type { Event } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { cliToken, must } from '../support/deployment.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `told-${index + 1}`);
const REASONS = ['RegisteredNode', 'RemovingNode'] as const;
/** What answers of the emulator's stream take. */
const WITHIN_MS = 60_000;

const admin = cliToken('--admin');

/** For each node, how many Events tell of it with a reason. */
const countsOf = async (uids: readonly string[], reason: string): Promise<readonly number[]> => {
  const path = '/api/v1/namespaces/default/events';
  const { items } = await must<ApiList<Event>>({ method: 'GET', path, token: admin });
  const told = items.filter((event) => event.reason === reason);
  return uids.map((uid) => told.filter(({ involvedObject }) => involvedObject.uid === uid).length);
};

const isToldOfAll = (uids: readonly string[], reason: string): Promise<unknown> => {
  let counts: readonly number[] = [];
  const look = async (): Promise<boolean> => {
    counts = await countsOf(uids, reason);
    return counts.every((count) => count > 0);
  };
  return eventually(`${reason} of ${uids.length} nodes`, WITHIN_MS, look, () => counts);
};

it('nodes that register and go at once are told of by one Event each', async () => {
  const machines = await Promise.all(NAMES.map((name) => startMachine(admin, name, 'zone-told', 'lease')));
  const uids = machines.map(({ uid }) => uid);
  await isToldOfAll(uids, 'RegisteredNode');
  await Promise.all(machines.map((machine) => machine.leave()));
  // A batch of the stream begins when the one before it has been handled, with its repetition.
  await isToldOfAll(uids, 'RemovingNode');
  const once = uids.map(() => 1);
  for (const reason of REASONS) expect(await countsOf(uids, reason), reason).toEqual(once);
});
