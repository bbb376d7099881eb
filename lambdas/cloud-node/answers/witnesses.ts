/** Whether a provider is believed that does not find machines: it is asked about those of ready Nodes, too. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { CloudProvider } from '../../../shared/ports/outside/cloud-provider.ts';
import { isTrusted, type Testimony } from '../../../shared/rules/cloud/trust.ts';
import { readyStatusOf } from '../../../shared/rules/nodes/node-conditions.ts';
import type { CloudNodeDeps } from '../deps.ts';
import { type Judged, judge, readNodes } from './judged.ts';

/** Ready Nodes whose machines the provider is asked about. */
const WITNESSES = 10;
/** Pages of the index that are searched for ready Nodes. Beyond these, a fleet counts as one without. */
const PAGES = 5;

const readyNames = async ({ objects }: CloudNodeDeps): Promise<readonly string[]> => {
  const names: string[] = [];
  let pages = 0;
  for await (const { value } of objects.nodeHealth()) {
    for (const { name, ready } of value) if (ready === 'True') names.push(name);
    pages += 1;
    if (names.length >= WITNESSES || pages >= PAGES) break;
  }
  return names.slice(0, WITNESSES);
};

const testimonyOf = ({ row, answer }: Judged): readonly Testimony[] => {
  if (answer === 'unknown') return [];
  const node: Node = row.object;
  return [{ isReady: readyStatusOf(node) === 'True', isKnown: answer !== 'missing' }];
};

/** Whether the "not found" among these answers is believed. */
export const isBelieved = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  judged: readonly Judged[],
): Promise<boolean> => {
  const asked = new Set(judged.map(({ row }) => row.key.name));
  const others = (await readyNames(deps)).filter((name) => !asked.has(name));
  const witnesses = await judge(cloud, await readNodes(deps, others));
  return isTrusted([...judged, ...witnesses].flatMap(testimonyOf));
};
