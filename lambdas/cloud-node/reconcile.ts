import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import { type CloudWord, wordsOf } from '../../shared/rules/cloud/cloud-notice.ts';
import { hasMachine, providerIdOf } from '../../shared/rules/cloud/instance.ts';
import { isNamedFor } from '../../shared/rules/cloud/verified-machine.ts';
import { answerGroup } from './answers/answer-group.ts';
import { apply } from './answers/apply.ts';
import { giveBack } from './answers/give-back.ts';
import { readNodes } from './answers/judged.ts';
import { forgetNode, nodeOf } from './answers/known-instances.ts';
import { leave } from './answers/leave.ts';
import { askForProofs, prove } from './answers/prove.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from './deps.ts';
import { lookAt } from './look.ts';
import type { CloudNodeMessage } from './message.ts';
import { drainDue, schedule } from './schedule.ts';

const sumOf = (a: LookReport, b: LookReport): LookReport => ({
  ...b,
  deleted: a.deleted + b.deleted,
  initialised: a.initialised + b.initialised,
  drained: a.drained + b.drained,
  distrusted: a.distrusted + b.distrusted,
  unanswered: a.unanswered + b.unanswered,
});

/** An instance id is never given twice and a terminated instance never comes back, so this word is true however late it arrives. */
const end = async (deps: CloudNodeDeps, instance: string, name: string): Promise<LookReport> => {
  const [row] = await readNodes(deps, [name]);
  if (!row || !hasMachine(row.object, instance)) return NOTHING;
  const answer = { providerId: providerIdOf(row.object), state: 'terminated' } as const;
  const done = await apply(deps, { row, answer });
  return { ...NOTHING, deleted: done === 'deleted' ? 1 : 0 };
};

/** A Node that no provider was asked about yet, or that no provider named for the machine, is asked about before a word is left out, or a group gets no answer. */
const verify = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  { instance }: Pick<CloudWord, 'instance'>,
  name: string,
): Promise<void> => {
  const [row] = await readNodes(deps, [name]);
  if (row && hasMachine(row.object, instance) && !isNamedFor(row.object, instance))
    await lookAt(deps, cloud, [name], { isSwept: true });
};

/** Acts on a word. Any other state than the last one may be over by the time the word arrives, so the provider is asked. */
const hear = async (deps: CloudNodeDeps, cloud: CloudProvider, word: CloudWord): Promise<LookReport> => {
  const name = await nodeOf(deps, word.instance);
  // Accounts have instances that are no Nodes, too.
  if (name === undefined) return NOTHING;
  if (word.says === 'state')
    return word.state === 'terminated' ? end(deps, word.instance, name) : lookAt(deps, cloud, [name]);
  await verify(deps, cloud, word, name);
  return word.says === 'leaves' ? leave(deps, word, name) : schedule(deps, word, name);
};

const hearAll = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  words: readonly CloudWord[],
): Promise<LookReport> => {
  let report = NOTHING;
  for (const word of words) report = sumOf(report, await hear(deps, cloud, word));
  return report;
};

type KeyMessage = Extract<CloudNodeMessage, { readonly kind: string }>;

const withCloud = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  message: Exclude<KeyMessage, { readonly kind: 'proof' | 'proofs' | 'back' }>,
): Promise<LookReport> => {
  switch (message.kind) {
    case 'nodes':
      return lookAt(deps, cloud, message.names, message);
    case 'gone':
      await forgetNode(deps, message.instance, message.name);
      return NOTHING;
    case 'action':
      await verify(deps, cloud, message, message.name);
      await answerGroup(deps, cloud, message);
      return NOTHING;
    case 'due':
      return drainDue(deps, message.name);
    case 'news': {
      const name = await nodeOf(deps, message.instance);
      return name === undefined ? NOTHING : lookAt(deps, cloud, [name]);
    }
  }
};

/** Handles a queued message. Without a provider only proofs are looked for. Throws if a Node could not be written; the message is then delivered again. */
export const reconcile = async (deps: CloudNodeDeps, message: CloudNodeMessage): Promise<LookReport> => {
  const { cloud } = deps;
  if (!('kind' in message)) return cloud ? hearAll(deps, cloud, wordsOf(message)) : NOTHING;
  if (message.kind === 'proof') return prove(deps, message);
  if (message.kind === 'proofs') {
    await askForProofs(deps, message);
    return NOTHING;
  }
  if (message.kind === 'back') {
    await giveBack(deps, message);
    return NOTHING;
  }
  return cloud ? withCloud(deps, cloud, message) : NOTHING;
};
