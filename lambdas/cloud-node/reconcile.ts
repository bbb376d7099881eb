import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import { type CloudWord, wordsOf } from '../../shared/rules/cloud/cloud-notice.ts';
import { answerGroup } from './answers/answer-group.ts';
import { giveBack } from './answers/give-back.ts';
import { forgetNode, nodeOf } from './answers/known-instances.ts';
import { askForProofs, prove } from './answers/prove.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from './deps.ts';
import { lookAt } from './look.ts';
import type { CloudNodeMessage } from './message.ts';
import { drainDue } from './schedule.ts';
import { hear } from './words.ts';

const sumOf = (a: LookReport, b: LookReport): LookReport => ({
  ...b,
  deleted: a.deleted + b.deleted,
  initialised: a.initialised + b.initialised,
  drained: a.drained + b.drained,
  distrusted: a.distrusted + b.distrusted,
  unanswered: a.unanswered + b.unanswered,
});

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
