import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeySet } from '../../../shared/adapters/secrets/key-set.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { DEFAULT_CLUSTER_ID } from '../../../shared/settings/settings.ts';

const LIFE_MS = 3_600_000;

/** Tokens for names that exist nowhere yet, signed with the key of the host on `folder`. */
export const tokenMaker = (folder: string) => {
  const keys = parseKeySet(readFileSync(join(folder, 'signing-key.json'), 'utf8'), 'the signing key');
  const signingKeys = {
    current: async () => keys.current,
    find: async (kid: string) => keys.secrets.get(kid),
  };
  const now = Date.now();
  const times = { issuedAt: now, expiresAt: now + LIFE_MS };
  return (name: string, group: string): Promise<string> =>
    issueToken(
      { signingKeys, clusterId: DEFAULT_CLUSTER_ID },
      { name, uid: name, groups: [group], ...times },
    );
};
