/** The roll call as text: nodes in columns, zones, next steps. Only cells are cut here, not lines. */
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { ageText, timeOfDay } from '../serving/host-log.ts';
import type { NodeLine, RollCall, ZoneLine } from './roll-call-view.ts';
import { cut, displayWidth, padded } from './terminal-text.ts';
import { nextSteps, situation } from './what-next.ts';
import type { WorkLine } from './work-view.ts';

/** Columns that the name of a zone or node may take before it is cut: a third of the terminal. */
const NAME_SHARE = 1 / 3;
const LEAST_NAME = 8;
const GAP = '  ';

/** Number of pods, such as `3 +1 leaving`. */
export const podsText = ({ pods, leaving }: Pick<NodeLine, 'pods' | 'leaving'>): string =>
  leaving.length === 0 ? String(pods) : `${pods} +${leaving.length} leaving`;

/** Taints grouped by key, such as `unreachable:NoSchedule,NoExecute`. */
const taintsText = (taints: readonly string[]): string => {
  const byKey = Map.groupBy(taints, (taint) => taint.slice(0, taint.lastIndexOf(':')));
  const texts = [...byKey].map(
    ([key, all]) => `${key}:${all.map((taint) => taint.slice(key.length + 1)).join(',')}`,
  );
  return texts.join(' ') || '-';
};

const HEAD = ['ZONE', 'NODE', 'READY', 'LAST BEAT', 'PODS', 'TAINTS'];

const cellsOf = (line: NodeLine, columns: number): readonly string[] => {
  const most = Math.max(LEAST_NAME, Math.floor(columns * NAME_SHARE));
  return [
    cut(line.zone, most),
    cut(line.name, most),
    line.ready,
    ageText(line.beatAgeMs),
    podsText(line),
    taintsText(line.taints),
  ];
};

const inColumns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
};

const isPlain = ({ ready, taints, leaving }: NodeLine): boolean =>
  ready === 'True' && taints.length === 0 && leaving.length === 0;

/** As many items as fit, those that need attention first, and a last line with the number of the others. */
const folded = <T>(
  all: readonly T[],
  rows: number,
  isQuiet: (one: T) => boolean,
  rest: (left: readonly T[]) => string,
): { readonly shown: readonly T[]; readonly rest: readonly string[] } => {
  if (all.length <= rows) return { shown: all, rest: [] };
  const sorted = [...all.filter((one) => !isQuiet(one)), ...all.filter(isQuiet)];
  const shown = new Set(sorted.slice(0, Math.max(0, rows - 1)));
  return {
    shown: all.filter((one) => shown.has(one)),
    rest: [rest(sorted.slice(Math.max(0, rows - 1)))],
  };
};

/** The nodes in at most `rows` lines, head and last line included; `columns` is the width of the terminal. */
export const nodeLines = (nodes: readonly NodeLine[], rows: number, columns: number): readonly string[] => {
  if (nodes.length === 0) return [];
  const { shown, rest } = folded(nodes, rows - 1, isPlain, (left) => {
    const quiet = left.filter(isPlain).length;
    return `… and ${left.length} more${quiet === left.length ? ', ready' : `, ${left.length - quiet} of them not ready or tainted`}`;
  });
  return [...inColumns([HEAD, ...shown.map((node) => cellsOf(node, columns))]), ...rest];
};

const rateText = ({ rate, state }: ZoneLine): string => {
  if (state === 'Initial') return 'no pass yet';
  return rate === 0 ? 'no evictions' : `${rate}/s`;
};

/** One line about a zone. */
export const zoneText = (zone: ZoneLine): string =>
  `zone ${zone.name}: ${zone.state}, ${zone.ready} of ${zone.size} ready, ${rateText(zone)}` +
  (zone.waiting.length === 0 || zone.rate === 0
    ? ''
    : `, ${zone.waiting.length} waiting for a NoExecute taint`);

const isQuietZone = ({ state, ready, size }: ZoneLine): boolean => state === 'Normal' && ready === size;

/** The zones in at most `rows` lines. */
export const zoneTexts = (zones: readonly ZoneLine[], rows: number): readonly string[] => {
  const { shown, rest } = folded(zones, rows, isQuietZone, (left) => {
    const nodes = left.reduce((sum, { size }) => sum + size, 0);
    const ready = left.reduce((sum, zone) => sum + zone.ready, 0);
    return `… and ${left.length} more zones: ${ready} of ${nodes} nodes ready`;
  });
  return [...shown.map(zoneText), ...rest];
};

/** How many pods of a workload are ready. */
export const workText = ({ kind, name, wanted, ready }: WorkLine): string =>
  `${kind} ${name}: ${ready} of ${wanted} ready`;

const isWhole = ({ wanted, ready }: WorkLine): boolean => ready >= wanted;

/** The workloads in at most `rows` lines. */
export const workTexts = (work: readonly WorkLine[], rows: number): readonly string[] => {
  const { shown, rest } = folded(work, rows, isWhole, (left) => {
    const broken = left.filter((one) => !isWhole(one)).length;
    return `… and ${left.length} more workloads${broken === 0 ? ', all ready' : `, ${broken} of them not all ready`}`;
  });
  return [...shown.map(workText), ...rest];
};

const inText = (at: number, now: number): string => (at <= now ? 'now' : `in ${ageText(at - now)}`);

/** The situation and the next steps, most important first. */
export const nextTexts = (view: RollCall, config: NodeLifecycleConfig): readonly string[] => [
  ...situation(view, config),
  ...nextSteps(view, config).map(({ at, text }) => `${timeOfDay(at)} (${inText(at, view.now)}) ${text}`),
];
