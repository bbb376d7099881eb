/** Reads and writes a cluster's signing keys: in a host's folder, or in a secret of AWS. */

import { existsSync } from 'node:fs';
import { KEYS_MAX_AGE_MS } from '../../shared/adapters/secrets/key-rotation.ts';
import { type KeySetJson, parseKeySetJson } from '../../shared/adapters/secrets/key-set.ts';
import { writePrivately } from '../../shared/serving/machine/files.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { pathsFor } from './host-folder.ts';
import { noHost } from './no-cluster.ts';
import { readOutputs } from './signing-key.ts';

/** The options of a command that choose the keys. */
export interface KeyChoice {
  readonly folder?: string | undefined;
  readonly stack?: string | undefined;
  readonly 'secret-arn'?: string | undefined;
}

export interface KeyStore {
  /** Path of the file or ARN of the secret, for messages. */
  readonly where: string;
  /** The host's folder, if the keys belong to a host. */
  readonly folder: string | undefined;
  /** Milliseconds after which every process has read what was written. */
  readonly spreadMs: number;
  /** Throws a `CommandError` if the keys cannot be read. */
  read(): Promise<KeySetJson>;
  write(keys: KeySetJson): Promise<void>;
}

/** Milliseconds; a host reads its key file each second. */
const HOST_SPREAD_MS = 2_000;
/** Milliseconds, with a margin for clock differences and for requests that began with the old keys. */
const STACK_SPREAD_MS = KEYS_MAX_AGE_MS + 10_000;

const readKeys = async (where: string, read: () => Promise<string>): Promise<KeySetJson> => {
  try {
    return parseKeySetJson(await read(), where);
  } catch (error) {
    throw new CommandError(`cannot read the signing keys of ${where}: ${reasonOf(error)}`);
  }
};

const textOf = (keys: KeySetJson): string => `${JSON.stringify(keys, null, 2)}\n`;

const secretStore = (arn: string, { readSecret, writeSecret }: CommandContext): KeyStore => ({
  where: arn,
  folder: undefined,
  spreadMs: STACK_SPREAD_MS,
  read: () => readKeys(arn, () => readSecret(arn)),
  write: (keys) => writeSecret(arn, textOf(keys)),
});

const folderStore = (given: string | undefined, context: CommandContext): KeyStore => {
  const { signingKey, folder } = pathsFor(given, context);
  if (!existsSync(folder)) throw noHost(folder, ['folder', 'secret-arn', 'stack']);
  return {
    where: signingKey,
    folder,
    spreadMs: HOST_SPREAD_MS,
    read: () => readKeys(signingKey, () => context.readFile(signingKey)),
    write: async (keys) => writePrivately(signingKey, textOf(keys)),
  };
};

/** Finds the keys by the options of the command. Throws a `CommandError` that names the remedy. */
export const findKeyStore = async (choice: KeyChoice, context: CommandContext): Promise<KeyStore> => {
  const arn = choice['secret-arn'] ?? (choice.folder ? undefined : context.env['ROLLCALL_SECRET_ARN']);
  if (arn) return secretStore(arn, context);
  if (choice.stack === undefined) return folderStore(choice.folder, context);
  const found = (await readOutputs(choice.stack, context))['SigningKeySecretArn'];
  if (found) return secretStore(found, context);
  throw new CommandError(`the stack "${choice.stack}" has no output SigningKeySecretArn; is it Rollcall's?`);
};
