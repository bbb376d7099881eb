/** The pages of `rollcall top` as lines. */
import type { Source } from '../../dashboard/server/live/source.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import type { Monitoring } from '../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import { MARKS, type Mark, marksOf } from '../../shared/rules/roll-call/node-marks.ts';
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { ageText, timeOfDay } from '../../shared/rules/roll-call/units.ts';
import { zoneLines } from '../../shared/rules/roll-call/zone-lines.ts';
import { screenLines, type Terminal } from '../roll-call/roll-call-screen.ts';
import { nextLines, nodeTable } from '../roll-call/roll-call-table.ts';
import { fitted, type Line, lineOf, type Piece } from '../roll-call/styled.ts';
import { forecastFrom, zoneLine } from '../roll-call/zone-texts.ts';
import type { Screen } from './keys.ts';

/** How an API stands. */
export type SourceState = ReturnType<Source['state']>;

/** What the pages are made of. */
export interface Sight {
  readonly view: RollCall;
  readonly config: Monitoring;
  /** Address of the API. */
  readonly server: string;
  /** How the API stands. What is shown is of its last answer. */
  readonly source: SourceState;
  /** The time of day, ms. */
  readonly clock: number;
  /** The lines of the node that is open. */
  readonly node: readonly Line[];
}

/** Whether the node has the text in its name, its zone, its taints, or the words of its marks. */
export const matches = (
  node: NodeLine,
  filter: string,
  { view, config }: Pick<Sight, 'view' | 'config'>,
): boolean => {
  const wanted = filter.toLowerCase();
  const words = marksOf(node, view.now, config).map((mark) => MARKS[mark].word);
  return [node.name, node.zone, ...node.taints, ...words].some((text) => text.toLowerCase().includes(wanted));
};

/** The roll call with the nodes that match. Zones keep their counts: they are facts about the zone. */
export const filtered = (sight: Sight, filter: string): RollCall => {
  if (filter === '') return sight.view;
  const nodes = sight.view.nodes.filter((node) => matches(node, filter, sight));
  const names = new Set(nodes.map(({ zone }) => zone));
  return { ...sight.view, nodes, zones: sight.view.zones.filter(({ name }) => names.has(name)) };
};

const counts = ({ view, config }: Sight): readonly Piece[] => {
  const marks = Map.groupBy(view.nodes, (node) => marksOf(node, view.now, config)[0]);
  return (Object.keys(MARKS) as Mark[]).flatMap((mark): Piece[] => {
    const count = marks.get(mark)?.length ?? 0;
    return count === 0
      ? []
      : [{ text: ', ' }, { text: `${count} ${MARKS[mark].word}`, tone: MARKS[mark].tone }];
  });
};

/** What is said of an API that does not tell everything; '' while it does. */
export const sourceText = ({ is, since = 0, reason = '' }: SourceState, clock: number): string => {
  if (is === 'reading') return 'reading the present state';
  if (is === 'catching up') return 'the API answers again; reading what has changed';
  const why = reason === '' ? '' : `: ${printable(reason)}`;
  if (is === 'refused') return `the API refuses what is shown here${why}`;
  if (is !== 'lost') return '';
  return `no answer since ${timeOfDay(since)} (${ageText(clock - since)}), what is shown is of then, and nothing is forecast${why}`;
};

const countText = (count: number): string => `${count} node${count === 1 ? '' : 's'}`;

const headOf = (sight: Sight): readonly Line[] => {
  const { view, server, source, clock } = sight;
  const text = `${timeOfDay(view.now)} ${printable(server)}: ${countText(view.nodes.length)}`;
  const first: Line = [{ text, tone: 'strong' }, ...counts(sight)];
  const said = sourceText(source, clock);
  if (said === '') return [first];
  return [first, lineOf(said, source.is === 'lost' || source.is === 'refused' ? 'bad' : 'muted')];
};

const KEYS: Readonly<Record<Screen['page']['at'], string>> = {
  fleet: 'q quit  j/k choose a zone  Enter open it  / filter',
  zone: 'q quit  j/k choose a node  Enter open it  Esc back  / filter',
  node: 'q quit  j/k scroll  Esc back',
};

const footOf = ({ page, filter, isTyping }: Screen): Line => {
  if (isTyping)
    return [
      { text: `/${filter}`, tone: 'strong' },
      { text: '_  Enter keep  Esc all nodes', tone: 'muted' },
    ];
  const only: Line = filter === '' ? [] : [{ text: `only "${filter}" (Esc: all)  `, tone: 'notice' }];
  return [...only, { text: KEYS[page.at], tone: 'muted' }];
};

/** The lines around the chosen one, if not all fit. */
const windowOf = <T>(all: readonly T[], chosen: number, rows: number): readonly T[] => {
  const from = Math.max(0, Math.min(chosen - Math.floor(rows / 2), all.length - rows));
  return all.slice(from, from + rows);
};

/** The reason was true when the zone changed, and counts the nodes of then. */
const reasonLines = ({ reason, changedAt }: RollCall['zones'][number]): readonly Line[] =>
  reason === undefined || changedAt === undefined
    ? []
    : [lineOf(`last change at ${timeOfDay(changedAt)}, because then: ${reason}`)];

const zonePage = (
  sight: Sight,
  screen: Screen,
  zoneName: string,
  { rows, columns }: Terminal,
): readonly Line[] => {
  const view = filtered(sight, screen.filter);
  const [zone] = sight.view.zones.filter(({ name }) => name === zoneName);
  if (!zone) return [lineOf(`zone ${zoneName} has no node any more; Esc: all zones`)];
  const nodes = view.nodes.filter((node) => node.zone === zoneName);
  const next = nextLines(
    { ...view, nodes, zones: zoneLines(nodes, []).map(() => zone), waitingPods: [] },
    sight.config,
  ).slice(0, Math.max(1, Math.floor(rows / 4)));
  const reason = reasonLines(zone);
  const room = rows - 1 - reason.length - next.length - 2;
  const table = { config: sight.config, columns, chosen: screen.chosen };
  const chosen = nodes.findIndex(({ name }) => name === screen.chosen);
  const shown = windowOf(nodes, chosen, Math.max(1, room - 1));
  return [
    zoneLine(zone, forecastFrom(view)),
    ...reason,
    ...nodeTable({ nodes: shown, now: view.now }, Math.max(2, room), table),
    lineOf(''),
    ...next,
  ];
};

const nodePage = ({ node }: Sight, { scroll }: Screen, { rows }: Terminal): readonly Line[] => {
  const from = Math.min(scroll, Math.max(0, node.length - rows));
  return node.slice(from, from + rows);
};

/** The whole screen: exactly as many lines as it has rows, at most, and none that is wider. */
export const pageLines = (sight: Sight, screen: Screen, terminal: Terminal): readonly Line[] => {
  const { rows, columns } = terminal;
  const [header, foot] = [headOf(sight), footOf(screen)];
  const { page, chosen } = screen;
  if (page.at === 'fleet')
    return screenLines(
      filtered(sight, screen.filter),
      sight.config,
      { header, footer: [foot], recent: [], chosen },
      terminal,
    );
  const room = { rows: Math.max(0, rows - header.length - 1), columns };
  const body = page.at === 'zone' ? zonePage(sight, screen, page.zone, room) : nodePage(sight, screen, room);
  const filled = Array.from({ length: room.rows }, (_, row) => body[row] ?? lineOf(''));
  return [...header, ...filled, foot].slice(0, rows).map((line) => fitted(line, columns));
};
