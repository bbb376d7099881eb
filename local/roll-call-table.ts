/** The roll call as text: a table for terminals, lines of what changed for logs. */
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import type { ZoneRecord } from '../shared/ports/control-store.ts';
import { timeOfDay } from './host-log.ts';
import type { NodeLine, RollCall } from './roll-call-view.ts';
import { nextSteps } from './what-next.ts';

const NEXT_STEPS = 6;

/** `12.3s`, `4m05s`; `never` for none. */
export const ageText = (ms: number | undefined): string => {
  if (ms === undefined) return 'never';
  const seconds = ms / 1000;
  if (seconds < 100) return `${seconds.toFixed(1)}s`;
  return `${Math.floor(seconds / 60)}m${String(Math.floor(seconds % 60)).padStart(2, '0')}s`;
};

const podsText = ({ pods, leaving }: NodeLine): string =>
  leaving === 0 ? String(pods) : `${pods} +${leaving} leaving`;

const cellsOf = (line: NodeLine): readonly string[] => [
  line.zone,
  line.name,
  line.ready,
  ageText(line.beatAgeMs),
  podsText(line),
  line.taints.join(' ') || '-',
];

const HEAD = ['ZONE', 'NODE', 'READY', 'LAST BEAT', 'PODS', 'TAINTS'];

const columns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** Those that need a look first, where there is no room for all. */
const fitting = (nodes: readonly NodeLine[], most: number): readonly NodeLine[] => {
  if (nodes.length <= most) return nodes;
  const isPlain = ({ ready, taints }: NodeLine): boolean => ready === 'True' && taints.length === 0;
  return [...nodes.filter((node) => !isPlain(node)), ...nodes.filter(isPlain)].slice(0, most);
};

const rateText = ({ limiter }: ZoneRecord): string =>
  limiter.rate === 0 ? 'no evictions' : `${limiter.rate}/s`;

const zoneText = (zone: ZoneRecord): string =>
  `zone ${zone.id}: ${zone.state}, ${zone.size - zone.notReady} of ${zone.size} ready, ${rateText(zone)}` +
  (zone.waitingCount === 0 ? '' : `, ${zone.waitingCount} waiting for a NoExecute taint`);

const inText = (at: number, now: number): string => (at <= now ? 'now' : `in ${ageText(at - now)}`);

const quietText = ({ quietUntil, now }: RollCall): readonly string[] =>
  quietUntil > now ? [`evictions rest until ${timeOfDay(quietUntil)}: the host was away`] : [];

const nextText = (view: RollCall, config: NodeLifecycleConfig): readonly string[] => {
  const steps = nextSteps(view, config, NEXT_STEPS);
  if (steps.length === 0) return ['next: nothing is due; every node answers'];
  return steps.map(
    ({ at, text }, index) =>
      `${index === 0 ? 'next:' : '     '} ${timeOfDay(at)} (${inText(at, view.now)}) ${text}`,
  );
};

/** The whole table. At most `rows` nodes are shown. */
export const renderTable = (view: RollCall, config: NodeLifecycleConfig, rows: number): readonly string[] => {
  const shown = fitting(view.nodes, rows);
  const left = view.nodes.length - shown.length;
  return [
    ...columns([HEAD, ...shown.map(cellsOf)]),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
    ...view.zones.map(zoneText),
    '',
    ...quietText(view),
    ...nextText(view, config),
  ];
};

const changesOf = (before: NodeLine | undefined, after: NodeLine): readonly string[] => {
  const was = before ?? { ...after, ready: '-' as const, taints: [], pods: 0, leaving: 0 };
  const added = after.taints.filter((taint) => !was.taints.includes(taint));
  const removed = was.taints.filter((taint) => !after.taints.includes(taint));
  return [
    ...(was.ready === after.ready
      ? []
      : [`Ready ${was.ready} -> ${after.ready}, last beat ${ageText(after.beatAgeMs)} ago`]),
    ...added.map((taint) => `+${taint}`),
    ...removed.map((taint) => `-${taint}`),
    ...(podsText(was) === podsText(after) ? [] : [`pods ${podsText(was)} -> ${podsText(after)}`]),
  ];
};

const zoneChange = (before: ZoneRecord | undefined, after: ZoneRecord): readonly string[] => {
  const isSame =
    before?.state === after.state &&
    before.limiter.rate === after.limiter.rate &&
    before.notReady === after.notReady &&
    before.waitingCount === after.waitingCount;
  return isSame ? [] : [zoneText(after)];
};

/** One line for each node and zone that changed from one look to the next. */
export const describeChanges = (before: RollCall | undefined, after: RollCall): readonly string[] => {
  const nodes = new Map(before?.nodes.map((node) => [node.name, node]));
  const zones = new Map(before?.zones.map((zone) => [zone.id, zone]));
  const there = new Set(after.nodes.map(({ name }) => name));
  return [
    ...after.nodes.flatMap((node) => {
      const changes = changesOf(nodes.get(node.name), node);
      return changes.length === 0 ? [] : [`node ${node.name} (zone ${node.zone}): ${changes.join(', ')}`];
    }),
    ...[...nodes.keys()].filter((name) => !there.has(name)).map((name) => `node ${name}: gone`),
    ...after.zones.flatMap((zone) => zoneChange(zones.get(zone.id), zone)),
  ];
};
