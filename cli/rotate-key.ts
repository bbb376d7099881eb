/** `rollcall rotate-key`: another key signs the tokens, in three steps. */
import { writePrivately } from '../local/files.ts';
import {
  newSigningKey,
  withNextCurrent,
  withNextKey,
  withoutOthers,
} from '../shared/adapters/secrets/key-rotation.ts';
import { type KeySetJson, parseKeySetJson } from '../shared/adapters/secrets/key-set.ts';
import type { CommandContext } from './command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from './command.ts';
import { pathsFor } from './host-folder.ts';
import { readOutputs } from './signing-key.ts';

export const usage = `Usage: rollcall rotate-key (prepare | use | retire) [options]

Replaces the key that signs tokens, without an outage. In this order:

  prepare   makes a new key, which is valid and does not sign yet
  use       ten seconds later: the new key signs, the old one stays valid
  retire    when the old tokens have been replaced: only the new key is left

Nodes replace their tokens by themselves at half time, a day at most unless asked
for longer ones (30 days at most). Administrators and bootstrappers make new ones
with rollcall token and rollcall kubeconfig. Instances on AWS keep a retired key
for up to a minute. A leaked key: all three steps at once, and every token is void.

  --folder FOLDER     folder of the host (default .rollcall)
  --secret-arn ARN    … or the secret that holds the keys (ROLLCALL_SECRET_ARN)
  --stack NAME        … or the stack that names the secret

Example: rollcall rotate-key prepare`;

const OPTIONS = {
  folder: { type: 'string' },
  'secret-arn': { type: 'string' },
  stack: { type: 'string' },
} as const;

const readArguments = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: true }, usage);

type Values = ReturnType<typeof readArguments>['values'];

/** Where the keys are kept. */
interface KeyStore {
  readonly where: string;
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

const secretStore = (arn: string, { readSecret, writeSecret }: CommandContext): KeyStore => ({
  where: arn,
  read: () => readSecret(arn),
  write: (text) => writeSecret(arn, text),
});

const folderStore = (folder: string | undefined, context: CommandContext): KeyStore => {
  const { signingKey } = pathsFor(folder, context);
  return {
    where: signingKey,
    read: () => context.readFile(signingKey),
    write: async (text) => writePrivately(signingKey, text),
  };
};

const storeOf = async (values: Values, context: CommandContext): Promise<KeyStore> => {
  const arn = values['secret-arn'] ?? (values.folder ? undefined : context.env['ROLLCALL_SECRET_ARN']);
  if (arn) return secretStore(arn, context);
  if (values.stack === undefined) return folderStore(values.folder, context);
  const found = (await readOutputs(values.stack, context))['SigningKeySecretArn'];
  if (found) return secretStore(found, context);
  throw new CommandError(`the stack "${values.stack}" has no output SigningKeySecretArn; is it Rollcall's?`);
};

interface Step {
  readonly next: KeySetJson;
  readonly said: string;
}

const useNewest = (keys: KeySetJson): Step => {
  const next = withNextCurrent(keys);
  if (!next) throw new CommandError('there is no newer key to use; run rollcall rotate-key prepare first');
  return {
    next,
    said: `${next.current} signs now. When the tokens of ${keys.current} have been replaced: rollcall rotate-key retire`,
  };
};

const STEPS: Readonly<Record<string, (keys: KeySetJson) => Step>> = {
  prepare: (keys) => {
    const made = newSigningKey();
    return {
      next: withNextKey(keys, made),
      said: `${made.kid} is valid, ${keys.current} signs. Ten seconds from now: rollcall rotate-key use`,
    };
  },
  use: useNewest,
  retire: (keys) => {
    const gone = Object.keys(keys.keys).filter((kid) => kid !== keys.current);
    return {
      next: withoutOthers(keys),
      said: gone.length === 0 ? 'there was nothing to retire' : `tokens of ${gone.join(', ')} are void`,
    };
  },
};

const readKeys = async (store: KeyStore): Promise<KeySetJson> => {
  try {
    return parseKeySetJson(await store.read(), store.where);
  } catch (error) {
    throw new CommandError(`cannot read the signing keys of ${store.where}: ${reasonOf(error)}`);
  }
};

/** Does one step and says which is next. Throws a `CommandError`. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArguments(args);
  const [name = '', ...rest] = positionals;
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (!step || rest.length > 0) throw misuse('say exactly one of prepare, use and retire', usage);
  const store = await storeOf(values, context);
  const { next, said } = step(await readKeys(store));
  await store.write(`${JSON.stringify(next, null, 2)}\n`);
  context.print(said);
};
