/** A machine whose user has credentials for AWS in a profile. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Launch, runBy } from '../support/servers/host-process.ts';

const CREDENTIALS = '[mine]\naws_access_key_id=a\naws_secret_access_key=b\n';

/** Asks for a token of a deployment as the user whose home is `home`. Nobody answers where AWS is said to be. */
export const tokenByProfile = (program: Launch, home: string): ReturnType<typeof runBy> => {
  mkdirSync(join(home, '.aws'), { recursive: true });
  writeFileSync(join(home, '.aws', 'credentials'), CREDENTIALS);
  const aws = { AWS_REGION: 'us-east-1', AWS_PROFILE: 'mine', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const env = { ...program.env, HOME: home, ...aws };
  return runBy({ ...program, env }, 'token', '--admin', '--stack', 'Rollcall');
};
