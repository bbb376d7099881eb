/** The node's own token, as a file that only its owner may read. */
import { join } from 'node:path';
import type { TokenStore } from '../ports/api/token-store.ts';
import { AgentFault } from '../ports/machine/agent-fault.ts';
import { parseOwnToken } from '../rules/registration/own-token.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

export const TOKEN_FILE = 'token.json';

/** Keeps the token in `folder`, which is the agent's root. */
export const tokenFile = (folder: string): TokenStore => {
  const path = join(folder, TOKEN_FILE);
  return {
    load: async () => {
      const text = await textIfThere(path);
      if (text === undefined) return undefined;
      const token = parseOwnToken(text);
      if (token) return token;
      throw new AgentFault(
        `${path} is damaged: remove it, have an administrator run "rollcall token --release NODE", and join again with a bootstrap token`,
      );
    },
    store: (token) => replaceFile(path, `${JSON.stringify(token)}\n`, 0o600),
  };
};
