/** `rollcall rotate-key`: another key signs the tokens, in three steps. */

import { writeCredentials } from '../local/host/access.ts';
import { readHostRecord } from '../local/host/host-record.ts';
import { readIfThere } from '../local/serving/files.ts';
import {
  newestKey,
  newSigningKey,
  otherKeys,
  settlesIn,
  withNewestCurrent,
  withNextKey,
  withoutOthers,
} from '../shared/adapters/secrets/key-rotation.ts';
import { type KeySetJson, parseKeySet } from '../shared/adapters/secrets/key-set.ts';
import type { CommandContext } from './command.ts';
import { CommandError, misuse, parseCommandLine } from './command.ts';
import { pathsFor } from './host-folder.ts';
import { findKeyStore, type KeyStore } from './key-store.ts';
import { listOfUsers, usersOrReason } from './key-users.ts';

export const usage = `Usage: rollcall rotate-key (status | prepare | use | retire) [options]

Replaces the key that signs tokens, without an outage. In this order:

  prepare   makes a new key, which is valid and does not sign yet
  use       waits until the new key is known everywhere; then it signs, and the old one
            stays valid. The folder's own kubeconfig and token are made anew
  retire    only the new key is left. Refuses, and says who, while somebody has used
            tokens of the old key since; tokens that nobody has used since are not seen
  status    which key signs, who uses another one, and what comes next

Nodes replace their tokens by themselves at half time, a day at most unless asked
for longer ones (30 days at most). Administrators and bootstrappers make new ones
with rollcall token and rollcall kubeconfig; start rollcall proxy again.
A leaked key: all three steps with --force, and every old token is void, on a host
at once and on AWS within a minute.

  --folder FOLDER     folder of the host (default .rollcall)
  --secret-arn ARN    … or the secret that holds the keys (ROLLCALL_SECRET_ARN)
  --stack NAME        … or the stack that names the secret
  --force             neither waits nor asks who uses the old key

Example: rollcall rotate-key prepare`;

const OPTIONS = {
  folder: { type: 'string' },
  'secret-arn': { type: 'string' },
  stack: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const;

const readArguments = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: true }, usage);

type Values = ReturnType<typeof readArguments>['values'];

interface Step {
  readonly values: Values;
  readonly store: KeyStore;
  readonly context: CommandContext;
}

const OPTION_NAMES = ['folder', 'secret-arn', 'stack'] as const;

/** The command of the next step, with the options that this one was given. */
const commandOf = (step: string, values: Values): string =>
  [
    `npx rollcall rotate-key ${step}`,
    ...OPTION_NAMES.flatMap((name) => (values[name] === undefined ? [] : [`--${name} ${values[name]}`])),
  ].join(' ');

const timeOf = ({ context }: Step): string => new Date(context.now()).toISOString();

/** Waits until every process has read the keys, then reads them again, because another rotation may run at the same time. */
const settled = async (keys: KeySetJson, step: Step): Promise<KeySetJson> => {
  const { values, store, context } = step;
  const ms = values.force ? 0 : settlesIn(keys, context.now(), store.spreadMs);
  if (ms === 0) return keys;
  context.complain(
    `waiting for ${Math.ceil(ms / 1000)} s: until then not every process knows the keys as they are`,
  );
  await context.wait(ms);
  const again = await store.read();
  if (JSON.stringify(again) === JSON.stringify(keys)) return keys;
  throw new CommandError(
    `the keys of ${store.where} were changed meanwhile; see ${commandOf('status', values)}`,
  );
};

const prepare = async (keys: KeySetJson, step: Step): Promise<string> => {
  const newest = newestKey(keys);
  if (newest !== keys.current)
    throw new CommandError(`${newest} is prepared already; next: ${commandOf('use', step.values)}`);
  const made = newSigningKey();
  await step.store.write(withNextKey(keys, made, timeOf(step)));
  return `${made.kid} is valid, ${keys.current} signs. Next: ${commandOf('use', step.values)}`;
};

/** Renews the folder's own token and kubeconfig, also if its host is stopped. */
const reissue = async (keys: KeySetJson, { store, context }: Step): Promise<void> => {
  if (store.folder === undefined) return;
  const paths = pathsFor(store.folder, context);
  const [record, ca] = [readHostRecord(paths.host), readIfThere(paths.caCertificate)];
  if (!record || ca === undefined) return;
  const { current } = parseKeySet(JSON.stringify(keys), store.where);
  const signingKeys = { current: async () => current };
  await writeCredentials({ paths, record, ca, signingKeys, now: context.now() });
  context.print(`${paths.kubeconfig} and ${paths.adminToken} have new tokens`);
};

const use = async (keys: KeySetJson, step: Step): Promise<string> => {
  if (newestKey(keys) === keys.current)
    throw new CommandError(`there is no newer key to use; first: ${commandOf('prepare', step.values)}`);
  const next = withNewestCurrent(await settled(keys, step), timeOf(step));
  await step.store.write(next);
  await reissue(next, step);
  return `${next.current} signs now. When the tokens of ${keys.current} have been replaced: ${commandOf('retire', step.values)}`;
};

const choiceOf = ({ values, store }: Step) => ({
  folder: store.folder,
  stack: store.folder === undefined ? values.stack : undefined,
  secretArn: store.folder === undefined ? values['secret-arn'] : undefined,
});

/** Throws while one of the keys is in use, or if that is unknown. */
const checkUnused = async (kids: readonly string[], step: Step): Promise<void> => {
  const force = `${commandOf('retire', step.values)} --force`;
  for (const kid of kids) {
    const users = await usersOrReason(kid, choiceOf(step), step.context);
    if (typeof users === 'string')
      throw new CommandError(
        `cannot ask the API who still uses ${kid}: ${users}. To retire it all the same: ${force}`,
      );
    if (users.length > 0)
      throw new CommandError(
        `${kid} is still used by ${listOfUsers(users)}. They are locked out when it is retired; to do so all the same: ${force}`,
      );
  }
};

const retire = async (keys: KeySetJson, step: Step): Promise<string> => {
  if (newestKey(keys) !== keys.current)
    throw new CommandError(`${newestKey(keys)} does not sign yet; first: ${commandOf('use', step.values)}`);
  const gone = otherKeys(keys);
  if (gone.length === 0) return 'there is nothing to retire';
  // A process that has not read the new keys may still create tokens with the old one.
  await settled(keys, step);
  if (!step.values.force) await checkUnused(gone, step);
  await step.store.write(withoutOthers(keys, timeOf(step)));
  return `tokens of ${gone.join(', ')} are void${step.store.folder === undefined ? ' within a minute' : ''}`;
};

const nextOf = (keys: KeySetJson): string => {
  if (newestKey(keys) !== keys.current) return 'use';
  return otherKeys(keys).length > 0 ? 'retire' : 'prepare';
};

const usersText = async (kid: string, step: Step): Promise<string> => {
  const users = await usersOrReason(kid, choiceOf(step), step.context);
  if (typeof users === 'string') return `valid; who uses it cannot be asked: ${users}`;
  return users.length === 0 ? 'valid; nobody has been seen to use it' : `valid; ${listOfUsers(users)}`;
};

const status = async (keys: KeySetJson, step: Step): Promise<string> => {
  const newest = newestKey(keys);
  const others = otherKeys(keys).map(async (kid) =>
    kid === newest ? `${kid}  valid; it does not sign yet` : `${kid}  ${await usersText(kid, step)}`,
  );
  const lines = [`${keys.current}  signs`, ...(await Promise.all(others))];
  return [...lines, `next: ${commandOf(nextOf(keys), step.values)}`].join('\n');
};

const STEPS: Readonly<Record<string, (keys: KeySetJson, step: Step) => Promise<string>>> = {
  status,
  prepare,
  use,
  retire,
};

/** Does one step and says which is next. Throws a `CommandError`. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArguments(args);
  const [name = '', ...rest] = positionals;
  const perform = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (!perform || rest.length > 0) throw misuse('say exactly one of status, prepare, use and retire', usage);
  const store = await findKeyStore(values, context);
  context.print(await perform(await store.read(), { values, store, context }));
};
