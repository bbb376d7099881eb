/** `rollcall rotate-key`: replaces the key that signs tokens, in three steps. */

import { writeCredentials } from '../../host/access.ts';
import { readHostRecord } from '../../host/folder/host-record.ts';
import {
  newestKey,
  newSigningKey,
  otherKeys,
  settlesIn,
  withNewestCurrent,
  withNextKey,
  withoutOthers,
} from '../../shared/adapters/secrets/key-rotation.ts';
import { type KeySetJson, parseKeySet } from '../../shared/adapters/secrets/key-set.ts';
import { readIfThere } from '../../shared/serving/machine/files.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine } from '../shell/command.ts';
import { OWN_NAME } from '../shell/own-name.ts';
import { pathsFor } from './host-folder.ts';
import { findKeyStore, type KeyStore } from './key-store.ts';
import { listOfUsers, usersOrReason } from './key-users.ts';

/** What the command takes. */
export const OPTIONS = {
  force: { type: 'boolean', describe: 'does not wait, and retires a key that is in use', default: false },
  folder: { ...CLUSTER_OPTIONS.folder, describe: 'folder of the host (default .rollcall)' },
  'secret-arn': {
    ...CLUSTER_OPTIONS['secret-arn'],
    describe: 'for AWS: the secret that holds the keys (ROLLCALL_SECRET_ARN)',
  },
  stack: { ...CLUSTER_OPTIONS.stack, describe: 'for AWS: the stack whose secret holds the keys' },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall rotate-key (status | prepare | use | retire) [options]'],
  about: ['Replaces the key that signs tokens, without an outage. Run the steps in this order:'],
  words: [
    ['prepare', 'adds a new key, which every process learns before it signs its first token'],
    [
      'use',
      "waits until every process knows the new key, then signs with it. The old key stays valid. Also replaces the kubeconfig and the token in the host's folder",
    ],
    [
      'retire',
      'removes the old key. Refuses if its tokens were used after the new key began to sign, and lists their users. It cannot notice tokens that were not used',
    ],
    ['status', 'shows which key signs, who uses another key, and which step is next'],
  ],
  options: OPTIONS,
  notes: [
    'Nodes renew their tokens at half of their lifetime (one day by default, 30 days at most). Create new tokens for administrators and for bootstrapping with rollcall token and rollcall kubeconfig, and restart rollcall proxy.',
    'If a key has leaked, run all three steps with --force. Then every old token is void: on a host at once, on AWS within a minute.',
  ],
  example: 'rollcall rotate-key prepare',
});

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
    `${OWN_NAME} rotate-key ${step}`,
    ...OPTION_NAMES.flatMap((name) => (values[name] === undefined ? [] : [`--${name} ${values[name]}`])),
  ].join(' ');

const timeOf = ({ context }: Step): string => new Date(context.now()).toISOString();

/** Waits until every process has read the keys, then reads them again, because another rotation may run at the same time. */
const settled = async (keys: KeySetJson, step: Step): Promise<KeySetJson> => {
  const { values, store, context } = step;
  const ms = values.force ? 0 : settlesIn(keys, context.now(), store.spreadMs);
  if (ms === 0) return keys;
  context.complain(`waiting for ${Math.ceil(ms / 1000)} s, until every process has read the keys`);
  await context.wait(ms);
  const again = await store.read();
  if (JSON.stringify(again) === JSON.stringify(keys)) return keys;
  throw new CommandError(
    `somebody else changed the keys in ${store.where} meanwhile; see ${commandOf('status', values)}`,
  );
};

const prepare = async (keys: KeySetJson, step: Step): Promise<string> => {
  const newest = newestKey(keys);
  if (newest !== keys.current)
    throw new CommandError(`${newest} is prepared already; next: ${commandOf('use', step.values)}`);
  const made = newSigningKey();
  await step.store.write(withNextKey(keys, made, timeOf(step)));
  return `${made.kid} is valid; ${keys.current} still signs. Next: ${commandOf('use', step.values)}`;
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

const choiceOf = ({ values, store }: Step) => ({
  folder: store.folder,
  stack: store.folder === undefined ? values.stack : undefined,
  secretArn: store.folder === undefined ? values['secret-arn'] : undefined,
});

/** On AWS an API without requests reads no keys, and publishes none for the function for beats. `until`: what follows if it does not answer. */
const letApiPublish = async (kid: string, until: string, step: Step): Promise<void> => {
  if (step.store.folder !== undefined) return;
  const answer = await usersOrReason(kid, choiceOf(step), step.context);
  if (typeof answer === 'string')
    step.context.complain(`the API did not answer (${answer}): until it reads the keys, ${until}`);
};

const use = async (keys: KeySetJson, step: Step): Promise<string> => {
  if (newestKey(keys) === keys.current)
    throw new CommandError(`there is no newer key to use; first: ${commandOf('prepare', step.values)}`);
  const next = withNewestCurrent(await settled(keys, step), timeOf(step));
  await letApiPublish(next.current, 'beats with new tokens are refused', step);
  await step.store.write(next);
  await reissue(next, step);
  return `${next.current} signs now. When the tokens of ${keys.current} have been replaced: ${commandOf('retire', step.values)}`;
};

/** Throws while one of the keys is in use, or if that is unknown. */
const checkUnused = async (kids: readonly string[], step: Step): Promise<void> => {
  const force = `${commandOf('retire', step.values)} --force`;
  for (const kid of kids) {
    const users = await usersOrReason(kid, choiceOf(step), step.context);
    if (typeof users === 'string')
      throw new CommandError(
        `cannot ask the API who still uses ${kid}: ${users}. To retire it anyway: ${force}`,
      );
    if (users.length > 0)
      throw new CommandError(
        `${kid} is still used by ${listOfUsers(users)}. Retiring it locks them out; to do so anyway: ${force}`,
      );
  }
};

/** Waits until each process of the API would read the keys again. */
const spread = async ({ store, context }: Step): Promise<void> => {
  if (store.folder !== undefined) return;
  context.complain(`waiting for ${store.spreadMs / 1000} s, until the API reads the keys and publishes them`);
  await context.wait(store.spreadMs);
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
  await spread(step);
  await letApiPublish(keys.current, 'beats with the old ones count', step);
  return `tokens of ${gone.join(', ')} are void${step.store.folder === undefined ? ' within a minute' : ''}`;
};

const nextOf = (keys: KeySetJson): string => {
  if (newestKey(keys) !== keys.current) return 'use';
  return otherKeys(keys).length > 0 ? 'retire' : 'prepare';
};

const usersText = async (kid: string, step: Step): Promise<string> => {
  const users = await usersOrReason(kid, choiceOf(step), step.context);
  if (typeof users === 'string') return `valid; the API did not say who uses it: ${users}`;
  return users.length === 0 ? 'valid; no recorded use' : `valid; ${listOfUsers(users)}`;
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

/** Does one step and prints the next one. Throws a `CommandError` if the step cannot be done. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArguments(args);
  const [name = '', ...rest] = positionals;
  const perform = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (!perform || rest.length > 0) throw misuse('give exactly one of status, prepare, use and retire', usage);
  const store = await findKeyStore(values, context);
  context.print(await perform(await store.read(), { values, store, context }));
};
