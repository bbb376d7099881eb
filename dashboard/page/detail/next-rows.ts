/** What happens next in the fleet of the page, as rows of a list. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import {
  monitoringOf,
  type NextStep,
  nextSteps,
  type StepNode,
  type StepView,
} from '../../../shared/rules/roll-call/next-steps.ts';
import { heldDrains, heldPodText, stoppedZones } from '../../../shared/rules/roll-call/situation.ts';
import { type StepGroup, stepGroups } from '../../../shared/rules/roll-call/step-groups.ts';
import { untilText } from '../../../shared/rules/roll-call/units.ts';
import type { Fleet } from '../live/fleet.ts';

/** Silences count by the grace period of each node. */
const UNUSED = monitoringOf(0);

/** Late nodes that are looked at each second. Those that became late first are the first ones. */
const MOST_LATE = 5_000;

const firstOf = (names: Iterable<string>, most: number): readonly string[] => {
  const first: string[] = [];
  for (const name of names) {
    if (first.length === most) break;
    first.push(name);
  }
  return first;
};

const lateNodes = ({ cells, late, due }: Fleet): readonly StepNode[] => {
  const said = new Map(due.unknowns.map((one) => [one.node, one]));
  return firstOf(late, MOST_LATE).flatMap((name) => {
    const cell = cells.get(name);
    if (!cell) return [];
    const { zone, silentSince, graceMs } = cell;
    const node = { name, zone, ready: 'True' as const, beatAt: silentSince, graceMs, evictions: [] };
    const known = said.get(name);
    if (known?.beatAt !== silentSince) return [node];
    return known.at === undefined ? [] : [{ ...node, unknownAt: known.at }];
  });
};

const evictingNodes = ({ due }: Fleet): readonly StepNode[] =>
  due.evictions.map(({ node, zone, ...eviction }) => ({
    name: node,
    zone,
    ready: 'Unknown' as const,
    evictions: [eviction],
  }));

const drainingNodes = ({ due }: Fleet): readonly StepNode[] =>
  due.drains.map(({ node, zone, drain }) => ({
    name: node,
    zone,
    ready: 'True' as const,
    evictions: [],
    drain,
  }));

const viewOf = (fleet: Fleet, now: EpochMs): StepView => ({
  now,
  quietUntil: 0,
  nodes: [...lateNodes(fleet), ...evictingNodes(fleet), ...drainingNodes(fleet)],
  zones: fleet.zones,
});

/** Where a name leads to. */
export interface Subject {
  readonly text: string;
  readonly path: readonly string[];
}

/** A row: `in 24s`, the subjects, what becomes of them, and why. */
export interface NextRow {
  readonly kind: StepGroup['kind'];
  readonly at: EpochMs;
  readonly subjects: readonly Subject[];
  /** Subjects that are not named. */
  readonly more: number;
  /** What stands before the subjects: `pods`. */
  readonly before: string;
  readonly verb: string;
  /** What the verb leads to. */
  readonly object?: Subject;
  readonly why: string;
}

/** Pods without a successor that are told one by one. */
const MOST_HELD = 3;
/** Subjects that a row names. */
const MOST_NAMED = 3;

const nodeSubject = (name: string): Subject => ({ text: name, path: ['node', name] });

const podSubject = ({ pod = '' }: NextStep): Subject => {
  const [namespace = '', name = ''] = pod.split('/');
  return { text: name, path: ['pod', namespace, name] };
};

type Words = Omit<NextRow, 'kind' | 'at' | 'more'>;

const WORDS: Readonly<Record<StepGroup['kind'], (group: StepGroup, now: EpochMs) => Words>> = {
  unknown: ({ steps, why, zone }) => ({
    subjects: steps.map(({ node }) => nodeSubject(node)),
    before: '',
    verb: steps.length === 1 ? 'becomes Unknown' : 'become Unknown',
    why: `zone ${zone}, ${why}`,
  }),
  taint: ({ steps: [first, ...others], why }, now) => {
    const then = others.map(({ node, at }) => `${node} ${untilText(at, now)}`).join(', ');
    return {
      subjects: first ? [nodeSubject(first.node)] : [],
      before: '',
      verb: 'gets its NoExecute taint',
      why: then === '' ? why : `${why}; then ${then}`,
    };
  },
  eviction: ({ steps, why }) => ({
    subjects: steps.map(podSubject),
    before: steps.length === 1 ? 'pod' : `${steps.length} pods:`,
    verb: steps.length === 1 ? 'leaves' : 'leave',
    object: nodeSubject(steps[0]?.node ?? ''),
    why,
  }),
  drain: ({ steps: [first], why }) => ({
    subjects: first ? [nodeSubject(first.node)] : [],
    before: 'the drain of',
    verb: first?.what ?? '',
    why,
  }),
};

const rowOf = (group: StepGroup, now: EpochMs): NextRow => {
  const { subjects, ...words } = WORDS[group.kind](group, now);
  const more = Math.max(0, subjects.length - MOST_NAMED);
  return { ...words, kind: group.kind, at: group.at, subjects: subjects.slice(0, MOST_NAMED), more };
};

/** What happens next. */
export interface Next {
  /** What does not happen, and why. */
  readonly stopped: readonly string[];
  /** The soonest first. */
  readonly rows: readonly NextRow[];
  /** Late nodes that are in no row. */
  readonly moreLate: number;
  /** Pods that leave and are in no row. */
  readonly morePods: number;
  /** Drains and pods that wait for somebody. */
  readonly held: readonly string[];
  /** Pods that wait and are not among them. */
  readonly moreHeld: number;
  /** Drains that are in none of the lists. */
  readonly moreDrains: number;
}

/** What happens next in the fleet, at `now` of the server's clock (ms). */
export const nextOf = (fleet: Fleet, now: EpochMs): Next => {
  const { zones, due } = fleet;
  const view = viewOf(fleet, now);
  return {
    stopped: stoppedZones(zones),
    rows: stepGroups(nextSteps(view, UNUSED)).map((group) => rowOf(group, now)),
    moreLate: Math.max(0, fleet.late.size - MOST_LATE),
    morePods: due.evictionCount - due.evictions.length,
    held: [
      ...heldDrains(due.drains.map(({ node, drain }) => ({ name: node, drain }))),
      ...due.held.slice(0, MOST_HELD).map(({ pod, node }) => heldPodText(pod, node)),
    ],
    moreHeld: Math.max(0, due.heldCount - MOST_HELD),
    moreDrains: due.drainCount - due.drains.length,
  };
};

/** What is said when nothing is due. */
export const nothingText = ({ zones, cells }: Fleet, { stopped, held }: Next): string => {
  if (cells.size === 0) return 'No node has registered yet.';
  const down = zones.reduce((sum, { size, ready }) => sum + size - ready, 0);
  if (down === 0 && held.length === 0) return 'Nothing is due: every node answers.';
  const nodes =
    down === 1
      ? '1 node is not ready, and stays so until it is heard from again'
      : `${down} nodes are not ready, and stay so until they are heard from again`;
  return down > 0 && stopped.length === 0 ? `Nothing else is due. ${nodes}.` : 'Nothing else has a time.';
};
