/** Disturbances of a whole machine: its clock is set, or it is suspended for a while. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Node } from '../../shared/kube/types/core.ts';
import { LABEL_ZONE, READY } from '../../shared/kube/types/well-known.ts';
import type { KillableHost } from './host.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './link.ts';
import type { Random } from './random.ts';
import type { Stalls } from './stalls.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** Steps by which a clock is set, ms. */
const STEPS_MS = [-YEAR_MS, -HOUR_MS, -90_000, -3_000, 3_000, HOUR_MS, YEAR_MS];
/** The machines' tokens live for a day: a clock further ahead than this (ms) would end them. */
const MOST_AHEAD_MS = HOUR_MS;
/** Bounds of a suspension, ms: longer than the grace period. */
const SUSPENDED_MS = [9_000, 13_000] as const;
/** Time (ms) for a pass, its writes and a poll on a busy machine that does not stand still. */
const PASS_MS = 4_000;
const POLL_MS = 200;
/** Tolerance (ms) for the logged size of a step, which has one decimal. */
const TOLD_WITHIN_MS = 150;

export type Disturbance = 'clock set' | 'clock set between two runs' | 'suspended';
export const DISTURBANCES: readonly Disturbance[] = ['clock set', 'suspended', 'clock set between two runs'];

export interface DisturbanceDeps {
  readonly link: Link;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly token: string;
  readonly graceMs: number;
  readonly stalls: Stalls;
}

const signOf = (byMs: number): 'back' | 'forward' => (byMs < 0 ? 'back' : 'forward');

/** A random step (ms) for a clock that is `aheadMs` ahead. No token of a machine expires by it. */
export const nextStep = (random: Random, aheadMs: number): number => {
  const possible = STEPS_MS.filter((byMs) => aheadMs + byMs <= MOST_AHEAD_MS && aheadMs + byMs >= -YEAR_MS);
  return possible[random.between(0, possible.length - 1)] ?? 0;
};

/** Checks that the host logged the step once, with its size. */
export const checkTold = (output: string, byMs: number, ledger: Ledger): void => {
  const told = [...output.matchAll(/the clock was set (back|forward) by ([\d.]+) s/g)];
  const sizes = told.map(([, sign, seconds]) => (sign === 'back' ? -1 : 1) * Number(seconds) * 1000);
  const isRight = sizes.length === 1 && Math.abs((sizes[0] ?? 0) - byMs) <= TOLD_WITHIN_MS;
  if (!isRight)
    ledger.violate(
      `the clock was set ${signOf(byMs)} by ${Math.abs(byMs)} ms, but the log says: ${JSON.stringify(sizes)}`,
    );
};

const silentNode = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [LABEL_ZONE]: 'a' } },
  status: { conditions: [{ type: READY, status: 'True', reason: 'KubeletReady' }] },
});

const isUnknown = (body: unknown): boolean =>
  (body as Node).status?.conditions?.some(({ type, status }) => type === READY && status === 'Unknown') ===
  true;

/** Creates a node that reports Ready once and then falls silent. `found` waits until the host marks it Unknown. */
export const fallSilent = async (deps: DisturbanceDeps, name: string) => {
  const { link, ledger, token, graceMs, stalls } = deps;
  const { status } = await link.client.call('POST', '/api/v1/nodes', token, silentNode(name));
  if (status !== 201) ledger.violate(`${name}: created with ${status}`);
  const [silentSince, lostBefore] = [performance.now(), stalls.lostMs()];
  /** `costMs`: how much longer than the grace period a disturbance may delay it. */
  const found = async (costMs: number): Promise<void> => {
    const latestMs = (): number => graceMs + costMs + PASS_MS + stalls.lostMs() - lostBefore;
    let silentMs = 0;
    for (let isFound = false; !isFound && silentMs <= latestMs(); await wait(POLL_MS)) {
      const answer = await link.client.call('GET', `/api/v1/nodes/${name}`, token).catch(() => undefined);
      silentMs = performance.now() - silentSince;
      isFound = answer !== undefined && isUnknown(answer.body);
    }
    if (silentMs < graceMs)
      ledger.violate(`${name}: Unknown after ${Math.round(silentMs)} ms, before its ${graceMs} ms were over`);
    if (silentMs > latestMs()) ledger.violate(`${name}: not found within ${Math.round(latestMs())} ms`);
    await link.client.call('DELETE', `/api/v1/nodes/${name}`, token);
  };
  return { found };
};

/** Suspends the host for longer than the grace period. Resolves to the length of the suspension, ms. */
export const suspend = async (host: KillableHost, random: Random): Promise<number> => {
  const ms = random.between(...SUSPENDED_MS);
  host.suspend();
  await wait(ms);
  host.resume();
  return ms;
};
