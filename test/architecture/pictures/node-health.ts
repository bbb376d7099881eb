/** The picture of a node's Ready: every change that a pass of the node monitor can make, found by asking the rule for every case. */
import type { ConditionStatus } from '../../../shared/kube/types/meta.ts';
import { decideNodeHealth, hearingAt } from '../../../shared/rules/nodes/node-health.ts';

type Ready = ConditionStatus | undefined;

const NOW = 1_000_000;
const CONFIG = { nodeMonitorGracePeriodMs: 40_000, nodeStartupGracePeriodMs: 60_000 };
const READIES: readonly Ready[] = [undefined, 'True', 'False', 'Unknown'];
const AFTER = { markReady: 'True', markUnknown: 'Unknown', none: undefined } as const;

interface Case {
  readonly ready: Ready;
  readonly isDirect: boolean;
  readonly isSilent: boolean;
}

const CASES: readonly Case[] = READIES.flatMap((ready) =>
  [true, false].flatMap((isDirect) => [true, false].map((isSilent) => ({ ready, isDirect, isSilent }))),
);

const nameOf = (ready: Ready): string => (ready === undefined ? 'never reported' : `Ready=${ready}`);
const idOf = (ready: Ready): string => ready ?? 'None';

const outcome = ({ ready, isDirect, isSilent }: Case): Ready => {
  const beatAt = isSilent ? NOW - 61_000 : NOW - 1_000;
  const row = {
    name: 'n1',
    uid: 'u1',
    zone: 'z',
    createdAt: NOW - 100_000,
    excludeDisruption: false,
    clientReady: !isDirect,
    noExecute: [],
    ...(ready === undefined ? {} : { ready }),
  };
  const beats = isDirect
    ? { plainAt: beatAt, observedAt: beatAt, hasLease: false }
    : { leaseAt: beatAt, observedAt: beatAt, hasLease: true };
  return AFTER[decideNodeHealth(row, beats, hearingAt(undefined, NOW, CONFIG), NOW, CONFIG).action];
};

/** An arrow by what it says; machines that post no Ready of their own have theirs written for them. */
const arrows = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const one of CASES) {
    const after = outcome(one);
    if (after === undefined) continue;
    const grace = one.ready === undefined ? 'nodeStartupGracePeriod' : 'nodeMonitorGracePeriod';
    const text = one.isSilent ? `silent for ${grace}` : 'a beat';
    const arrow = `${idOf(one.ready)} --> ${idOf(after)}: ${text}`;
    found.set(arrow, (found.get(arrow) ?? new Set()).add(one.isDirect ? 'plain' : 'kubelet'));
  }
  return found;
};

const line = ([arrow, sources]: readonly [string, ReadonlySet<string>]): string =>
  sources.size === 2
    ? arrow
    : `${arrow}${sources.has('plain') ? ', of a machine without a kubelet' : ', of a kubelet'}`;

/** A state diagram in Mermaid's language. */
export const nodeHealthPicture = (): string =>
  [
    'stateDiagram-v2',
    ...READIES.map((ready) => `  state "${nameOf(ready)}" as ${idOf(ready)}`),
    '  [*] --> None',
    ...[...arrows()].map((one) => `  ${line(one)}`),
    '  Unknown --> True: its kubelet says so',
    '  True --> False: its kubelet says so',
    '  False --> True: its kubelet says so',
  ].join('\n');
