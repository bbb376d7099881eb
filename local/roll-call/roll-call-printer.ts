/** Prints the roll call: on a terminal as a table that is redrawn each second, elsewhere as log lines of changes. */
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { type Loop, startLoop } from '../serving/loop.ts';
import { describeChanges } from './roll-call-changes.ts';
import { type Surroundings, screenLines, type Terminal } from './roll-call-screen.ts';
import type { RollCall } from './roll-call-view.ts';

export interface PrinterDeps extends Omit<Surroundings, 'recent'> {
  readonly read: () => Promise<RollCall>;
  readonly config: NodeLifecycleConfig;
  /** The terminal; `undefined` for a log. */
  readonly terminal: () => Terminal | undefined;
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

const CLEAR_SCREEN = '\u001b[2J';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** The escape sequences and lines that draw the table over the one before. */
const screen = (view: RollCall, deps: PrinterDeps, terminal: Terminal): string => {
  const { header, footer, recent } = deps;
  const lines = screenLines(view, deps.config, { header, footer, recent: recent() }, terminal);
  return `${HOME}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`;
};

/** Starts to print. Errors of `read` go to `onError`. */
export const startPrinter = (deps: PrinterDeps, onError: (error: unknown) => void): Printer => {
  let latest: RollCall | undefined;
  if (deps.terminal()) deps.write(CLEAR_SCREEN);
  else for (const line of [...deps.header, ...deps.footer]) deps.tell(line);
  const draw = (): void => {
    const terminal = deps.terminal();
    if (terminal && latest) deps.write(screen(latest, deps, terminal));
  };
  const print = async (): Promise<void> => {
    const view = await deps.read();
    for (const line of describeChanges(latest, view)) deps.tell(line);
    latest = view;
    draw();
  };
  const loop = startLoop({ everyMs: deps.everyMs, firstMs: 0, work: print, onError });
  return {
    ...loop,
    redraw: () => {
      if (deps.terminal()) deps.write(CLEAR_SCREEN);
      draw();
    },
  };
};
