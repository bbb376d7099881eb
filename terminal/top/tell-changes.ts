/** `rollcall top` without a terminal: the zones, then each change by a line. */
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { timeOfDay } from '../../shared/rules/roll-call/units.ts';
import { describeChanges } from '../roll-call/roll-call-changes.ts';
import { zoneText } from '../roll-call/zone-texts.ts';
import { createFleetPicture } from './fleet-picture.ts';
import { mergedWork } from './merged.ts';
import { MERGE_MS, type TopDeps } from './top-deps.ts';
import { type Following, watchFleet } from './watch-fleet.ts';

/** What is told, besides what `rollcall top` needs. */
export interface TellDeps extends TopDeps {
  readonly print: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The lines of a reading after another one. Of a first one only the zones: a line for each node would say nothing. */
const linesOf = (before: RollCall | undefined, after: RollCall): readonly string[] =>
  before ? describeChanges(before, after) : after.zones.map(zoneText);

/** Lines about the connection, when it is lost and when it is back. */
const connectionTeller = ({ lost }: Following) => {
  let wasLost = false;
  return (): readonly string[] => {
    const is = lost();
    if (wasLost === (is !== undefined)) return [];
    wasLost = is !== undefined;
    return [is ? `no answer since ${timeOfDay(is.since)}: ${is.reason}` : 'the API answers again'];
  };
};

/** Tells the state and its changes until `signal` ends that. */
export const tellChanges = async (deps: TellDeps): Promise<void> => {
  const { now, signal, server } = deps;
  const picture = createFleetPicture();
  let latest: RollCall | undefined;
  const tell = (): void => {
    const view = picture.read(now());
    const changes = following.isWhole() ? linesOf(latest, view) : [];
    for (const line of [...connection(), ...changes]) deps.print(`${timeOfDay(view.now)} ${line}`);
    if (following.isWhole()) latest = view;
  };
  const telling = mergedWork(tell, MERGE_MS, now);
  deps.print(`${timeOfDay(now())} follows ${server}`);
  const { api, lost, close } = deps.connect(telling.ask);
  const following = watchFleet(picture, { ...deps, api, connection: lost, onChange: telling.ask });
  const connection = connectionTeller(following);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  telling.stop();
  close();
};
