/** The stream of one page: first a snapshot in pieces, then what changed, merged. Nothing is queued for a slow page. */
import { setTimeout } from 'node:timers/promises';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { zoneLines } from '../../../shared/rules/roll-call/zone-lines.ts';
import { type CellRow, type LiveChange, type LiveZone, rowOf } from '../../wire/live.ts';
import { ALIVE_MS, type SourceState } from '../../wire/source.ts';
import type { Entry, FleetState } from './fleet-state.ts';
import type { LiveFleet } from './live-fleet.ts';

/** Cells in a message. */
const PIECE = 2_000;
/** Names of a waiting line that are sent. */
const SHOWN_WAITING = 100;
/** How often (ms) is looked until there is something to send for the first time: a person waits for the page. */
const FIRST_TICK_MS = 20;

/** What a page wants. */
export interface LiveRequest {
  readonly selects: (entry: Entry) => boolean;
  /** The position up to which the page has everything, as `positionText` wrote it; '' for none. */
  readonly after: string;
  readonly signal: AbortSignal;
}

export interface LiveStreamDeps {
  readonly fleet: LiveFleet;
  readonly now: () => EpochMs;
  /** Differs between processes, whose numbers of changes have nothing to do with each other. */
  readonly epoch: string;
  readonly tickMs: number;
}

const positionIn = (after: string, epoch: string, state: FleetState): number | undefined => {
  const [of, number] = after.split('.');
  const position = Number(number);
  const isKnown = of === epoch && position >= state.oldest() && position <= state.latest();
  return isKnown ? position : undefined;
};

/** Zones with the first of those that wait. */
export const liveZones = ({ state, zones }: Pick<LiveFleet, 'state' | 'zones'>): readonly LiveZone[] => {
  const lines = [...state.entries().values()].flatMap(({ line, isGone }) => (isGone ? [] : [line]));
  const sorted = zoneLines(lines, zones()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map(({ waiting, id = '', reason = '', changedAt, ...zone }) => ({
    ...zone,
    id,
    reason,
    changedAt,
    waiting: waiting.slice(0, SHOWN_WAITING),
    waitingCount: waiting.length,
  }));
};

type Piece = Pick<LiveChange, 'cells' | 'gone' | 'isWhole'>;

const text = (position: string, change: LiveChange): string =>
  `id: ${position}\ndata: ${JSON.stringify(change)}\n\n`;

/** What was sent to a page. */
interface Sent {
  /** Number of the last change. */
  change: number;
  zones: number;
  due: string;
  source: string;
  at: EpochMs;
  isReset: boolean;
}

/** What has changed since then, in pieces. It reads the entries while they change: what comes later comes again with the next tick. */
function* piecesOf({ state }: LiveFleet, sent: Sent, selects: LiveRequest['selects']): Generator<Piece> {
  let [cells, gone]: [CellRow[], string[]] = [[], []];
  for (const entry of state.entries().values()) {
    if (entry.change <= sent.change) continue;
    if (!entry.isGone && selects(entry)) cells.push(rowOf(entry.cell));
    else if (sent.change > 0) gone.push(entry.cell.name);
    if (cells.length + gone.length < PIECE) continue;
    yield { cells, gone, isWhole: false };
    [cells, gone] = [[], []];
  }
  yield { cells, gone, isWhole: true };
}

/** What comes with the last piece. */
const lastOf = (fleet: LiveFleet, sent: Sent): Pick<LiveChange, 'zones' | 'due'> => {
  const [zones, due] = [fleet.state.latestOfZones(), fleet.dueVersion()];
  const isNews = { zones: sent.zones !== zones, due: sent.due !== due };
  Object.assign(sent, { zones, due });
  return {
    ...(isNews.zones ? { zones: liveZones(fleet) } : {}),
    ...(isNews.due ? { due: fleet.due() } : {}),
  };
};

/** What of a state is news to a page: its instant moves all the time. */
const standingOf = ({ is, since, reason }: SourceState): string => JSON.stringify([is, since, reason]);

const hasNews = (fleet: LiveFleet, { isReset, change, due }: Sent): boolean =>
  fleet.isWhole() && (isReset || fleet.state.latest() > change || due !== fleet.dueVersion());

/** The changes of one tick. */
function* changes(deps: LiveStreamDeps, sent: Sent, selects: LiveRequest['selects']): Generator<string> {
  const { fleet, now, epoch } = deps;
  const latest = fleet.state.latest();
  for (const piece of piecesOf(fleet, sent, selects)) {
    const reset = sent.isReset ? { isReset: true } : {};
    sent.isReset = false;
    const last = piece.isWhole ? lastOf(fleet, sent) : {};
    const change = { now: now(), ...piece, ...reset, ...last, source: fleet.source() };
    yield text(`${epoch}.${piece.isWhole ? latest : '-'}`, change);
  }
  sent.change = latest;
}

/** A message that says only how the source stands. */
const sign = ({ fleet, now, epoch }: LiveStreamDeps, sent: Sent): string => {
  const isWhole = !sent.isReset;
  const change = { now: now(), isWhole, cells: [], gone: [], source: fleet.source() };
  return text(`${epoch}.${isWhole ? sent.change : '-'}`, change);
};

/** The messages of one tick. */
function* messages(deps: LiveStreamDeps, sent: Sent, selects: LiveRequest['selects']): Generator<string> {
  const standing = standingOf(deps.fleet.source());
  const isSignDue = standing !== sent.source || Math.abs(deps.now() - sent.at) >= ALIVE_MS;
  if (hasNews(deps.fleet, sent)) yield* changes(deps, sent, selects);
  else if (isSignDue) yield sign(deps, sent);
  else return;
  [sent.source, sent.at] = [standing, deps.now()];
}

/** Server-sent events. The next one is made when the last one has been taken, from the state of that moment. */
export async function* liveStream(
  deps: LiveStreamDeps,
  { selects, after, signal }: LiveRequest,
): AsyncGenerator<string> {
  const { fleet, epoch, tickMs } = deps;
  const resumed = positionIn(after, epoch, fleet.state);
  const isReset = resumed === undefined;
  const sent: Sent = { change: resumed ?? 0, zones: -1, due: '', source: '', at: 0, isReset };
  while (!signal.aborted) {
    yield* messages(deps, sent, selects);
    const restMs = sent.isReset ? Math.min(FIRST_TICK_MS, tickMs) : tickMs;
    await setTimeout(restMs, undefined, { signal }).catch(() => undefined);
  }
}
