/** The nodes of a relay, and in which part each of them is. */
import { MOST_IN_PART } from '../../shared/domain/relays/relay-items.ts';
import type { SiteNode } from './site-node.ts';

/** `homes`: in which part each node was before a restart, by name. Its place there may still be its own. */
export const createMembers = (homes: Map<string, number>) => {
  const nodes = new Map<string, SiteNode>();
  const parts = new Map<number, Set<string>>();

  const namesIn = (part: number): Set<string> => {
    const names = parts.get(part) ?? new Set();
    parts.set(part, names);
    return names;
  };
  for (const [name, part] of homes) namesIn(part).add(name);

  const settle = (name: string, part: number): void => {
    const before = homes.get(name);
    if (before === part) return;
    if (before !== undefined) namesIn(before).delete(name);
    homes.set(name, part);
    namesIn(part).add(name);
  };
  const firstFree = (from: number): number => {
    let part = from;
    while (namesIn(part).size >= MOST_IN_PART) part += 1;
    return part;
  };

  return {
    get: (name: string): SiteNode | undefined => nodes.get(name),
    put: (node: SiteNode): void => {
      nodes.set(node.name, node);
      settle(node.name, node.part);
    },
    /** Forgets the node, unless it is another Node of that name. */
    forget: (name: string, uid: string | undefined): void => {
      if (uid === undefined || nodes.get(name)?.uid === uid) nodes.delete(name);
    },
    inPart: (part: number): readonly SiteNode[] =>
      [...namesIn(part)].flatMap((name) => nodes.get(name) ?? []),
    homeOf: (name: string): number => homes.get(name) ?? firstFree(0),
    firstFree,
  };
};

/** See `createMembers`. */
export type Members = ReturnType<typeof createMembers>;
