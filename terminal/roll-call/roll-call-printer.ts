/** Prints the roll call: on a terminal as a table that is redrawn each second, elsewhere as log lines of changes. */

import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { timeOfDay } from '../../shared/rules/roll-call/units.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import { describeChanges } from './roll-call-changes.ts';
import { screenLines, type Terminal } from './roll-call-screen.ts';
import { createDrawer } from './screen-drawer.ts';
import { lineOf } from './styled.ts';

export interface PrinterDeps {
  readonly read: () => Promise<RollCall>;
  readonly config: NodeLifecycleConfig;
  /** What stands above, now. */
  readonly header: () => readonly string[];
  /** What to try next, the most important line first. */
  readonly footer: readonly string[];
  /** The terminal; `undefined` for a log. */
  readonly terminal: () => Terminal | undefined;
  readonly hasColours: boolean;
  readonly write: (text: string) => void;
  /** The latest lines of the host's log. They are shown below the table on a terminal. */
  readonly recent: () => readonly string[];
  /** Logs a line of changes. On a terminal it appears below the table, see `recent`. */
  readonly tell: (line: string) => void;
  /** Interval of readings, ms. */
  readonly everyMs: number;
}

export interface Printer extends Loop {
  /** Draws the last reading again, in the current size of the terminal. */
  redraw(): void;
}

/** How long (ms) a reading may be overdue before the table says so. */
const LATE_MS = 4_000;
/** How often (ms) that is looked at: a reading may hang. */
const LOOK_MS = 1_000;

const lateText = ({ now }: RollCall): string =>
  `the state has not been read since ${timeOfDay(now)}; what is shown is of then, and nothing is forecast`;

/** Starts to print. Errors of `read` go to `onError`. */
export const startPrinter = (deps: PrinterDeps, onError: (error: unknown) => void): Printer => {
  const { header, footer, config } = deps;
  const drawer = createDrawer(deps.write, deps.hasColours);
  const around = (above: readonly string[]) => ({
    header: [...above, ...header()].map((text) => lineOf(text)),
    footer: footer.map((text) => lineOf(text)),
    recent: deps.recent(),
  });
  let latest: RollCall | undefined;
  let readAt = performance.now();
  const isLate = (): boolean => performance.now() - readAt > deps.everyMs + LATE_MS;
  if (!deps.terminal()) for (const line of [...header(), ...footer]) deps.tell(line);
  const draw = (): void => {
    const terminal = deps.terminal();
    if (!terminal || !latest) return;
    const lines = isLate()
      ? screenLines({ ...latest, isPast: true }, config, around([lateText(latest)]), terminal)
      : screenLines(latest, config, around([]), terminal);
    drawer.draw(lines, terminal.rows);
  };
  const print = async (): Promise<void> => {
    const view = await deps.read();
    readAt = performance.now();
    for (const line of describeChanges(latest, view)) deps.tell(line);
    latest = view;
    draw();
  };
  const loop = startLoop({ everyMs: deps.everyMs, firstMs: 0, work: print, onError });
  const looking = setInterval(() => {
    if (isLate()) draw();
  }, LOOK_MS);
  return {
    stop: async () => {
      clearInterval(looking);
      await loop.stop();
      // What is printed next stands below the table.
      if (deps.terminal()) deps.write('\n');
    },
    redraw: () => {
      drawer.forget();
      draw();
    },
  };
};
