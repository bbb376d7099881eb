/** The copy of the Node, as a file. */
import { join } from 'node:path';
import type { NodeCopies } from '../ports/api/node-copies.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

const FILE = 'node.json';

/** Keeps the copy in `folder`, which is the agent's root. */
export const nodeCopyFile = (folder: string): NodeCopies => ({
  load: () => textIfThere(join(folder, FILE)),
  store: (text) => replaceFile(join(folder, FILE), text, 0o600),
});
