/** What happens to a machine and not to its processes: its clock is set, or everything on it stands still for a while. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Node } from '../../shared/api/core.ts';
import { LABEL_ZONE, READY } from '../../shared/api/well-known.ts';
import type { KillableHost } from './host.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './link.ts';
import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** By so much a clock is set, ms. */
const STEPS_MS = [-YEAR_MS, -HOUR_MS, -90_000, -3_000, 3_000, HOUR_MS, YEAR_MS];
/** The machines' tokens live for a day: a clock further ahead than this (ms) would end them. */
const MOST_AHEAD_MS = HOUR_MS;
/** Longer than the grace period, ms. */
const SUSPENDED_MS = [9_000, 13_000] as const;
/** A pass, its writes and a poll, on a machine that is busy, ms. */
const PASS_MS = 4_000;
const POLL_MS = 200;
/** What is told of a step has one decimal. */
const TOLD_WITHIN_MS = 150;

export type Disturbance = 'clock set' | 'clock set between two runs' | 'suspended';
export const DISTURBANCES: readonly Disturbance[] = ['clock set', 'suspended', 'clock set between two runs'];

export interface DisturbanceDeps {
  readonly link: Link;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly token: string;
  readonly graceMs: number;
}

const signOf = (byMs: number): 'back' | 'forward' => (byMs < 0 ? 'back' : 'forward');

/** A step that the tokens of the machines outlive, for a clock that is `aheadMs` ahead. */
export const nextStep = (random: Random, aheadMs: number): number => {
  const possible = STEPS_MS.filter((byMs) => aheadMs + byMs <= MOST_AHEAD_MS && aheadMs + byMs >= -YEAR_MS);
  return possible[random.between(0, possible.length - 1)] ?? 0;
};

/** The host tells each step once, with its size. */
export const checkTold = (output: string, byMs: number, ledger: Ledger): void => {
  const told = [...output.matchAll(/the clock was set (back|forward) by ([\d.]+) s/g)];
  const sizes = told.map(([, sign, seconds]) => (sign === 'back' ? -1 : 1) * Number(seconds) * 1000);
  const isRight = sizes.length === 1 && Math.abs((sizes[0] ?? 0) - byMs) <= TOLD_WITHIN_MS;
  if (!isRight)
    ledger.violate(
      `the clock was set ${signOf(byMs)} by ${Math.abs(byMs)} ms, told as: ${JSON.stringify(sizes)}`,
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

/** A node that reports once and never again. Returns whoever waits until the host has found that. */
export const fallSilent = async ({ link, ledger, token, graceMs }: DisturbanceDeps, name: string) => {
  const { status } = await link.client.call('POST', '/api/v1/nodes', token, silentNode(name));
  if (status !== 201) ledger.violate(`${name}: created with ${status}`);
  const silentSince = performance.now();
  /** `costMs`: how much later than its grace period a disturbance may make it found. */
  const found = async (costMs: number): Promise<void> => {
    const latestMs = graceMs + costMs + PASS_MS;
    let silentMs = 0;
    for (let isFound = false; !isFound && silentMs <= latestMs; await wait(POLL_MS)) {
      const answer = await link.client.call('GET', `/api/v1/nodes/${name}`, token).catch(() => undefined);
      silentMs = performance.now() - silentSince;
      isFound = answer !== undefined && isUnknown(answer.body);
    }
    if (silentMs < graceMs)
      ledger.violate(`${name}: Unknown after ${Math.round(silentMs)} ms, of ${graceMs}`);
    if (silentMs > latestMs) ledger.violate(`${name}: not found within ${Math.round(latestMs)} ms`);
    await link.client.call('DELETE', `/api/v1/nodes/${name}`, token);
  };
  return { found };
};

/** Everything stands still for longer than the grace period, then goes on. Returns for how long (ms). */
export const suspend = async (host: KillableHost, random: Random): Promise<number> => {
  const ms = random.between(...SUSPENDED_MS);
  host.suspend();
  await wait(ms);
  host.resume();
  return ms;
};
