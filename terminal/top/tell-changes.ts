/** `rollcall top` without a terminal: the zones, then each change by a line. */
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { timeOfDay } from '../../shared/rules/roll-call/units.ts';
import { describeChanges } from '../roll-call/roll-call-changes.ts';
import { zoneText } from '../roll-call/zone-texts.ts';
import { createFleetPicture } from './fleet-picture.ts';
import { mergedWork } from './merged.ts';
import { type SourceState, sourceText } from './pages.ts';
import { MERGE_MS, type TopDeps } from './top-deps.ts';
import { watchFleet } from './watch-fleet.ts';

/** What is told, besides what `rollcall top` needs. */
export interface TellDeps extends TopDeps {
  readonly print: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The lines of a reading after another one. Of a first one only the zones: a line for each node would say nothing. */
const linesOf = (before: RollCall | undefined, after: RollCall): readonly string[] =>
  before ? describeChanges(before, after) : after.zones.map(zoneText);

/** Lines about the API, when it is lost or refuses, and when all is read again. */
const sourceTeller = () => {
  let told = 'live';
  return (state: SourceState, now: number): readonly string[] => {
    const { is } = state;
    if (is === told || is === 'reading' || is === 'catching up') return [];
    told = is;
    return [is === 'live' ? 'the API answers again, and what has changed is read' : sourceText(state, now)];
  };
};

/** Tells the state and its changes until `signal` ends that. */
export const tellChanges = async (deps: TellDeps): Promise<void> => {
  const { now, signal, server } = deps;
  let latest: RollCall | undefined;
  const tell = (): void => {
    const state = following.state();
    const { isDoubtful, ...view } = picture.read(following.asOf());
    if (isDoubtful) following.readLeasesAgain();
    const changes = state.is === 'live' ? linesOf(latest, view) : [];
    for (const line of [...source(state, now()), ...changes]) deps.print(`${timeOfDay(now())} ${line}`);
    if (state.is === 'live') latest = view;
  };
  const telling = mergedWork(tell, MERGE_MS, now);
  deps.print(`${timeOfDay(now())} follows ${server}`);
  const connection = deps.connect(telling.ask);
  const picture = createFleetPicture(connection.source);
  const following = watchFleet(picture, { ...deps, ...connection, onChange: telling.ask });
  const source = sourceTeller();
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  telling.stop();
  connection.close();
};
