/** How people call this program in a shell. */
import { isExecutable } from '../../bundling/heap.ts';

/** The executable has no npx, and npx would offer a package of the same name that is not ours. */
export const OWN_NAME = isExecutable() ? 'rollcall' : 'npx rollcall';
