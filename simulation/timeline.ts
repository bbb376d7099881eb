/** Prints the timeline and the figures of a run as text. */
import { printable } from '../shared/kube/text/printable.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { ToldNotification } from '../shared/rules/notifications/as-told.ts';
import type { Happening } from './figures/history.ts';
import type { WorkloadOutcome } from './figures/work-history.ts';
import { type Figures, type Spread, TOLD_SEVERITIES } from './figures.ts';
import type { ControlFault, Plan } from './plan/plan.ts';

/** Up to this number of nodes, each happening has a line of its own. */
const SMALL_FLEET = 60;
/** In larger fleets, happenings of the same kind in one zone within this time (ms) share a line. */
const BUCKET_MS = 60_000;
const MOST_NAMES = 4;

const two = (value: number): string => String(value).padStart(2, '0');

/** Time since the start, as `1:02:03.4`; whole seconds without their tenths. */
export const clockText = (ms: number): string => {
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    (ms % 60_000) / 1000,
  ];
  const whole = Math.floor(seconds);
  const tenths = Math.round((seconds - whole) * 1000);
  return `${hours}:${two(minutes)}:${two(whole)}${tenths === 0 ? '' : `.${String(tenths).padStart(3, '0')}`}`;
};

const VERBS = {
  unknown: 'Ready=Unknown',
  ready: 'Ready=True',
  notReady: 'Ready=False',
  tainted: 'NoExecute taint added',
  untainted: 'NoExecute taint removed',
  evicted: 'evicted',
  placed: 'placed',
  deleted: 'deleted',
  joined: 'joined',
  left: 'left',
  addressed: 'got addresses',
} as const;

const namesOf = (names: readonly string[], noun: string): string =>
  names.length <= MOST_NAMES ? names.join(', ') : `${names.length} ${noun}`;

interface Line {
  readonly at: EpochMs;
  readonly text: string;
}

const nameOf = (one: Exclude<Happening, { kind: 'zone' }>): string => {
  if ('pod' in one) return one.pod;
  return 'podCidrs' in one ? `${one.node} (${one.podCidrs.join(', ')})` : one.node;
};

const nodeLines = (
  happenings: readonly Exclude<Happening, { kind: 'zone' }>[],
  startAt: EpochMs,
  bucketMs: number,
): readonly Line[] => {
  const groups = Map.groupBy(
    happenings,
    ({ kind, zone, at }) => `${kind} ${zone} ${Math.floor((at - startAt) / bucketMs)}`,
  );
  return [...groups.values()].map((group) => {
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) return { at: startAt, text: '' };
    const names = group.map(nameOf);
    const until = last.at === first.at ? '' : `, until ${clockText(last.at - startAt)}`;
    const what = namesOf(names, 'pod' in first ? 'pods' : 'nodes');
    return { at: first.at, text: `${first.zone}  ${what} ${VERBS[first.kind]}${until}` };
  });
};

const zoneLine = ({ at, zone, state, rate }: Extract<Happening, { kind: 'zone' }>): Line => ({
  at,
  text: `${zone}  zone is ${state}, ${rate} taints/s`,
});

const faultText = (fault: ControlFault): string => {
  if (fault.kind === 'pause') return `pause of ${fault.parts.join(', ')}`;
  return fault.kind === 'redeploy' ? 'redeploy' : 'trouble on every call';
};

const faultLines = (fault: ControlFault, endAt: EpochMs): readonly Line[] => [
  { at: fault.from, text: `*  ${faultText(fault)} begins` },
  ...(fault.to < endAt && fault.to > fault.from
    ? [{ at: fault.to, text: `*  ${faultText(fault)} ends` }]
    : []),
];

const actionLines = ({ actions = [] }: Plan): readonly Line[] =>
  actions.flatMap((action) => {
    if (action.kind === 'rollout')
      return [{ at: action.at, text: `*  ${action.workload} gets another template` }];
    if (action.kind === 'deleteNamespace')
      return [{ at: action.at, text: `*  namespace ${action.namespace} is deleted` }];
    return action.kind === 'delete' ? [{ at: action.at, text: `*  ${action.workload} is deleted` }] : [];
  });

const silenceLines = ({ machines, startAt, endAt }: Plan, bucketMs: number): readonly Line[] => {
  const edges = machines.flatMap(({ name, zone, beating: { schedule } }) =>
    schedule.gaps.flatMap(({ from, to }) => [
      { at: from, zone, name, what: 'silent' },
      ...(to < endAt ? [{ at: to, zone, name, what: 'back' }] : []),
    ]),
  );
  const sorted = edges.toSorted((a, b) => a.at - b.at);
  const groups = Map.groupBy(
    sorted,
    ({ at, zone, what }) => `${zone} ${what} ${Math.floor((at - startAt) / bucketMs)}`,
  );
  return [...groups.values()].map((group) => ({
    at: group[0]?.at ?? startAt,
    text: `${group[0]?.zone}  ${namesOf(
      group.map(({ name }) => name),
      'machines',
    )} ${group[0]?.what}`,
  }));
};

/** The happenings and faults of a run in order; in large fleets grouped by zone and minute. */
export const timelineOf = (plan: Plan, happenings: readonly Happening[]): readonly string[] => {
  const { startAt, endAt, controlFaults, machines } = plan;
  const bucketMs = machines.length > SMALL_FLEET ? BUCKET_MS : 1;
  const lines = [
    ...silenceLines(plan, bucketMs),
    ...controlFaults.flatMap((fault) => faultLines(fault, endAt)),
    ...actionLines(plan),
    ...happenings.filter((one) => one.kind === 'zone').map(zoneLine),
    ...nodeLines(
      happenings.filter((one) => one.kind !== 'zone'),
      startAt,
      bucketMs,
    ),
  ];
  return lines
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text }) => `${clockText(at - startAt).padEnd(12)} ${printable(text)}`);
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const spreadText = (spread: Spread | undefined): string =>
  spread
    ? `min ${seconds(spread.min)}, p50 ${seconds(spread.p50)}, p99 ${seconds(spread.p99)}, max ${seconds(spread.max)}`
    : '–';

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

const workRows = ({ work }: Figures): readonly (readonly [string, string])[] =>
  work
    ? [
        ['pods placed', `${work.placed}, ${work.missing} evicted ones without a successor`],
        ['  eviction → placed', spreadText(work.evictedToPlaced)],
        ['  crash → placed', spreadText(work.crashToPlaced)],
        ['  crash → NoExecute', spreadText(work.crashToTaint)],
      ]
    : [];

const workloadText = ({ ready, pods, leastReady, doneAfterMs }: WorkloadOutcome): string =>
  [
    `${ready} of ${pods} pods ready at the end`,
    ...(leastReady === undefined ? [] : [`never fewer than ${leastReady} since all were`]),
    ...(doneAfterMs === undefined ? [] : [`change done within ${seconds(doneAfterMs)}`]),
  ].join(', ');

const workloadRows = ({ workloads = {} }: Figures): readonly (readonly [string, string])[] =>
  Object.entries(workloads).map(([name, outcome]) => [`  ${name}`, workloadText(outcome)]);

const drainRows = ({ drains }: Figures): readonly (readonly [string, string])[] => {
  if (!drains) return [];
  const { drained, unfinished, atOnce, longestMs } = drains;
  const longest = longestMs === undefined ? '' : `, the longest in ${seconds(longestMs)}`;
  return [['drains', `${drained} nodes drained${longest}; ${unfinished} unfinished, ${atOnce} at once`]];
};

const holdRows = ({ holds }: Figures): readonly (readonly [string, string])[] => {
  if (!holds) return [];
  const { made, destroyed, inForceAfterMs, atEnd } = holds;
  const within = inForceAfterMs === undefined ? '' : `, in force within ${seconds(inForceAfterMs)}`;
  return [['holds', `${made} made${within}; ${destroyed} acts under one, ${atEnd} at the end`]];
};

const namespaceRows = ({ namespaces = {} }: Figures): readonly (readonly [string, string])[] =>
  Object.entries(namespaces).map(([name, ms]) => [`namespace ${name}`, `gone after ${seconds(ms)}`]);

const addressRows = ({ addresses }: Figures): readonly (readonly [string, string])[] =>
  addresses
    ? [
        [
          'addresses',
          `${addresses.withBlocks} of ${addresses.nodes} nodes have podCIDRs, ${addresses.reused} blocks used again, ${addresses.twice} given twice`,
        ],
      ]
    : [];

const notificationRows = ({ notifications }: Figures): readonly (readonly [string, string])[] =>
  notifications
    ? [
        [
          'notifications',
          TOLD_SEVERITIES.map((severity) => `${severity} ${notifications[severity]}`).join(', '),
        ],
      ]
    : [];

const behindText = ({ grouped }: ToldNotification): string =>
  grouped.length === 0 ? '' : `, with ${grouped.map(({ type, count }) => `${count} ${type}`).join(' and ')}`;

/** What people would have been told, one line for each notification. */
export const notificationLines = (
  { startAt }: Pick<Plan, 'startAt'>,
  notifications: readonly ToldNotification[],
): readonly string[] => {
  const lines = notifications.map((one) => {
    const { at, severity, type, message } = one;
    const text = `${severity.padEnd(9)} ${type}: ${message}${behindText(one)}`;
    return `${clockText(at - startAt).padEnd(12)} ${printable(text)}`;
  });
  return lines.length === 0 ? ['nobody would have been told anything'] : lines;
};

const siteRows = ({ sites }: Figures): readonly (readonly [string, string])[] =>
  sites ? [['sites cut off', `${sites.cutOff}, ${sites.returned} of them returned`]] : [];

/** The figures as rows of label and text. */
export const figureRows = (figures: Figures): readonly (readonly [string, string])[] => [
  ['nodes, pods', `${figures.nodes}, ${figures.pods}`],
  ['Unknown', `${figures.unknown}, ${figures.falseUnknown} of them false`],
  ['last beat → Unknown', spreadText(figures.silenceToUnknown)],
  ['crash → Unknown', spreadText(figures.crashToUnknown)],
  ['NoExecute taints', String(figures.taints)],
  ...Object.entries(figures.zones).map(
    ([zone, { taints, minTaintGapMs }]) =>
      [
        `  zone ${zone}`,
        `${taints}${minTaintGapMs === undefined ? '' : `, at least ${seconds(minTaintGapMs)} apart`}`,
      ] as const,
  ),
  ['pods evicted', String(figures.podsEvicted)],
  ['  late by', spreadText(figures.podsLate)],
  ...workRows(figures),
  ...workloadRows(figures),
  ...namespaceRows(figures),
  ...drainRows(figures),
  ...holdRows(figures),
  ...addressRows(figures),
  ...notificationRows(figures),
  ...siteRows(figures),
  ['at the end', `${figures.notReadyAtEnd} nodes not ready, ${figures.taintedAtEnd} tainted`],
  ['messages', countsText(figures.messages)],
  ['writes', countsText(figures.writes)],
  ['passes, failures', `${figures.passes}, ${figures.failures}`],
];

/** The figures as lines of text. */
export const figureLines = (figures: Figures): readonly string[] =>
  figureRows(figures).map(([name, value]) => printable(`${name.padEnd(22)}${value}`));
