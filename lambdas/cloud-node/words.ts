/** What a cloud says by itself about a machine. */

import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { CloudWord } from '../../shared/rules/cloud/cloud-notice.ts';
import { hasMachine, providerIdOf } from '../../shared/rules/cloud/instance.ts';
import { apply } from './answers/apply.ts';
import { readNodes } from './answers/judged.ts';
import { nodeOf } from './answers/known-instances.ts';
import { leave } from './answers/leave.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from './deps.ts';
import { lookAt } from './look.ts';
import { schedule } from './schedule.ts';

/** An instance id is never given twice and a terminated instance never comes back, so this word is true however late it arrives. */
const end = async (deps: CloudNodeDeps, instance: string, name: string): Promise<LookReport> => {
  const [row] = await readNodes(deps, [name]);
  if (!row || !hasMachine(row.object, instance)) return NOTHING;
  const answer = { providerId: providerIdOf(row.object), state: 'terminated' } as const;
  const done = await apply(deps, { row, answer });
  return { ...NOTHING, deleted: done === 'deleted' ? 1 : 0 };
};

/** Acts on a word. Any other state than the last one may be over by the time the word arrives, so the provider is asked. */
export const hear = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  word: CloudWord,
): Promise<LookReport> => {
  const name = await nodeOf(deps, word.instance);
  // Accounts have instances that are no Nodes, too.
  if (name === undefined) return NOTHING;
  if (word.says === 'leaves') return leave(deps, word, name);
  if (word.says === 'scheduled') return schedule(deps, word, name);
  return word.state === 'terminated' ? end(deps, word.instance, name) : lookAt(deps, cloud, [name]);
};
