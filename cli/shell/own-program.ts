/** How to start this program again, as a process of its own. */
import { isExecutable } from '../../bundling/heap.ts';

/** The executable and its arguments. */
export const ownProgram = ({ execPath, execArgv, argv } = process): readonly string[] =>
  isExecutable() ? [execPath] : [execPath, ...execArgv, argv[1] ?? ''];
