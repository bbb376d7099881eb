import { describe, expect, it } from 'vitest';
import { readHeard } from '../../../../../dashboard/server/actions/read-known.ts';
import type { DashboardApi } from '../../../../../dashboard/server/live/api.ts';

const T = 1_700_000_000_000;
const SECOND = 1_000;

const timeOf = (at: number): string => new Date(at).toISOString();

const unused = () => {
  throw new Error('not asked');
};

/** What an API that explains by these facts lets `readHeard` say. */
const heardBy = (...because: readonly object[]) => {
  const text = JSON.stringify({ answers: [{ question: 'health', because }] });
  const api: DashboardApi = { get: async () => ({ status: 200, text }), list: unused, watch: unused };
  return readHeard(api, 'n1');
};

const sign = { fact: 'LastSignOfLife', time: timeOf(T) };
const grace = { fact: 'GracePeriod', values: { ms: 40 * SECOND } };
const absence = (ms: number) => ({ fact: 'HostWasAway', time: timeOf(T + 600 * SECOND), values: { ms } });

describe('when the control plane last heard a node', () => {
  it.each([
    ['it was there since', [sign, grace], T],
    ['the host was away for ten minutes since', [sign, absence(600 * SECOND), grace], T + 600 * SECOND],
    ['the host restarted in a second', [sign, absence(SECOND), grace], T],
    ['the node has never beaten, and the host was away', [absence(600 * SECOND), grace], T + 600 * SECOND],
    ['nothing is known', [], undefined],
  ])('%s', async (_, facts, heardAt) => {
    expect(await heardBy(...facts)).toEqual({ heardAt, graceMs: 40 * SECOND });
  });
});
