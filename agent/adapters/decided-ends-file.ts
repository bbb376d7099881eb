/** The pods that the last shutdown has ended, as a file. */
import { join } from 'node:path';
import type { DecidedEndsStore } from '../ports/machine/shutdown.ts';
import { decidedEndsText, parseDecidedEnds } from '../rules/shutdown/decided-ends.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

const FILE = 'pods_ended_by_shutdown.json';

/** Keeps them in `folder`, which is the agent's root. */
export const decidedEndsFile = (folder: string): DecidedEndsStore => ({
  load: async () => parseDecidedEnds((await textIfThere(join(folder, FILE))) ?? ''),
  store: (ends) => replaceFile(join(folder, FILE), decidedEndsText(ends), 0o600),
});
