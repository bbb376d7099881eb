/** Prints the roll call: redrawn each second on a terminal, as lines of what changed anywhere else. */
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import { type Loop, startLoop } from './loop.ts';
import { describeChanges, renderTable } from './roll-call-table.ts';
import type { RollCall } from './roll-call-view.ts';

export interface Terminal {
  readonly rows: number;
  readonly columns: number;
}

export interface PrinterDeps {
  readonly read: () => Promise<RollCall>;
  readonly config: NodeLifecycleConfig;
  /** What stands above the table. */
  readonly header: readonly string[];
  /** What to try next. */
  readonly footer: readonly string[];
  /** The terminal; `undefined` for a log. */
  readonly terminal: () => Terminal | undefined;
  readonly write: (text: string) => void;
  /** The latest lines of the host's log, to be shown below the table on a terminal. */
  readonly recent: () => readonly string[];
  /** A change, for the log. */
  readonly tell: (line: string) => void;
  readonly everyMs: number;
}

/** Lines around the nodes: heads, zones, steps, footer. */
const OTHER_LINES = 24;
const LEAST_NODES = 6;
const CLEAR_SCREEN = '\u001b[2J';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

const screen = (view: RollCall, deps: PrinterDeps, { rows, columns }: Terminal): string => {
  const table = renderTable(view, deps.config, Math.max(LEAST_NODES, rows - OTHER_LINES));
  const lines = [...deps.header, '', ...table, '', ...deps.recent(), '', ...deps.footer];
  const shown = lines.slice(0, rows - 1).map((line) => `${line.slice(0, columns)}${CLEAR_LINE}`);
  return `${HOME}${shown.join('\n')}\n${CLEAR_BELOW}`;
};

/** Starts printing; what reading throws goes to `onError`. */
export const startPrinter = (deps: PrinterDeps, onError: (error: unknown) => void): Loop => {
  let before: RollCall | undefined;
  if (deps.terminal()) deps.write(CLEAR_SCREEN);
  else for (const line of [...deps.header, ...deps.footer]) deps.write(`${line}\n`);
  const print = async (): Promise<void> => {
    const view = await deps.read();
    for (const line of describeChanges(before, view)) deps.tell(line);
    before = view;
    const terminal = deps.terminal();
    if (terminal) deps.write(screen(view, deps, terminal));
  };
  return startLoop({ everyMs: deps.everyMs, firstMs: 0, work: print, onError });
};
